"""Tools with which the agent finds, reads and deletes episodes."""

from dataclasses import replace
from typing import Annotated

from langchain_core.tools import BaseTool, ToolException
from pydantic import Field

from memory_graph import clock, records
from memory_graph.curation.forget import forget
from memory_graph.curation.lookup import SHORT_ID, find_episode
from memory_graph.episodes import rendering, search
from memory_graph.store.scope import UserMemory
from memory_graph.tools._calls import Also, Call, ToolArgs, memory_tool, text_of

Id = Annotated[str, text_of(200, 1)]
Text = Annotated[str, text_of(500)]
EpisodeRef = Annotated[
    Id, Also("id"), Field(description="Id of the episode, or its session, from a search.")
]
Project = Annotated[
    Text,
    Also("context"),
    Field(description="Only this project; default: the current one; `*`: all."),
]
_BOUND = "ISO 8601 with or without a zone, a bare date, or words such as `yesterday`."
_MOST = "How many to return at most."


class _QueryEpisodes(ToolArgs):
    outcome: records.Outcome | None = Field(None, description="Only with this outcome.")
    task: Text = Field("", description="Only with these words in its task or title.")
    time_start: Annotated[Text, Also("since")] = Field("", description=f"Not before this. {_BOUND}")
    time_end: Annotated[Text, Also("until")] = Field("", description=f"Not after this. {_BOUND}")
    when: Text = Field("", description="A time in words, such as `last week`.")
    project: Project = ""
    tool: Text = Field("", description="Only where this tool was used.")
    participant: Text = Field("", description="Only where this person took part.")
    entity: Text = Field("", description="Only about this system, project or place.")
    tag: Text = Field("", description="Only with this tag.")
    fact_id: Text = Field("", description="Only episodes that this fact came from.")
    metadata: dict[str, str] = Field(
        {}, max_length=20, description="Only where these fields say so: `{ticket: JIRA-12}`."
    )
    limit: int = Field(20, ge=1, le=100, description=_MOST)


class _SearchEpisodes(_QueryEpisodes):
    query: Text = Field(
        min_length=1, description="What it was about, in words; they may also name a time."
    )
    limit: int = Field(10, ge=1, le=50, description=_MOST)


class _EpisodeId(ToolArgs):
    episode_id: EpisodeRef


class _GetEpisode(_EpisodeId):
    include_facts: Annotated[bool, Also("include_entities")] = Field(
        False, description="Add the facts that came from it."
    )


class _ReplayTopic(ToolArgs):
    topic: Text = Field(min_length=1, description="The topic, in words.")
    limit: int = Field(5, ge=1, le=50, description=_MOST)
    project: Project = ""


class _EpisodeSequence(_ReplayTopic):
    limit: int = Field(10, ge=1, le=50, description=_MOST)
    min_relevance: records.Share = Field(
        0.5, description="How surely each is about the topic, 0 to 1."
    )


class _DecisionSequence(_EpisodeId):
    project: Text = Field("", description="Of this project, if several have the session.")


# — read and deleted —
async def find_named(memory: UserMemory, given: str, project: str = "") -> records.Episode:
    """Return the episode with an id, the beginning of one, or a session."""
    return await find_episode(memory, given, project=project, shortest=SHORT_ID)


@memory_tool
async def get_episode(args: _GetEpisode, call: Call) -> str:
    """Read one episode in full."""
    memory, episode = call.memory, await find_named(call.memory, args.episode_id)
    known = await memory.facts.find(link.fact_id for link in episode.facts)
    facts = [
        (known[link.fact_id], link.position, link.confidence)
        for link in episode.facts
        if args.include_facts and link.fact_id in known
    ]
    await memory.commit(await memory.access.touch([episode.id], clock.utc_now()))
    return rendering.render_detail(episode, facts)


@memory_tool
async def delete_episode(args: _EpisodeId, call: Call) -> str:
    """Delete one episode for good, with its evidence for patterns."""
    episode = await find_named(call.memory, args.episode_id)
    await forget(call.memory, episode, clock.utc_now())
    return f"Deleted the episode {episode.id}."


# — found —
_PROBLEMS: dict[search.PeriodProblem, str] = {
    "unreadable_start": "`time_start` is not a time. Write it like 2026-11-16 or 2026-11-16T09:00.",
    "unreadable_end": "`time_end` is not a time. Write it like 2026-11-16 or 2026-11-16T09:00.",
    "unreadable_when": "`when` names no time in the past. Try `last week` or use `time_start`.",
    "end_before_start": "`time_end` is before `time_start`. Swap them or widen the range.",
}
_FILTERS = {
    *("outcome", "task", "tool", "participant", "entity", "tag", "fact_id", "metadata", "limit")
}


@memory_tool
async def search_episodes(args: _SearchEpisodes, call: Call) -> str:
    """Find episodes by what they were about, and when, where or with whom they happened."""
    return await _search(args, call, args.query)


@memory_tool
async def query_episodes(args: _QueryEpisodes, call: Call) -> str:
    """List the latest episodes that match all filters."""
    return await _search(args, call, "")


async def _search(args: _QueryEpisodes, call: Call, text: str) -> str:
    zone, now = call.context.zone, clock.utc_now()
    period = search.read_period(args.time_start, args.time_end, args.when, now=now, zone=zone)
    if not isinstance(period, search.Period):
        raise ToolException(f"Nothing was done. {_PROBLEMS[period]}")
    asked = search.EpisodeQuery(
        text=text,
        period=period,
        project=call.project(args.project),
        **args.model_dump(include=_FILTERS),
    )
    found = await search.find_episodes(call.memory, asked, now, zone)
    if not found.hits:
        return "No episode fits."
    lines = [rendering.render_hit(e, found.arcs.get(e.record.id, ())) for e in found.hits]
    if found.phrase:
        outside = f"Nothing of {found.phrase!r} fits; these are of other times."
        lines = [outside if found.is_outside else f"Of {found.phrase!r}:", *lines]
    return "\n".join([*lines, *_rest(found)])


def _rest(found: search.EpisodesFound) -> list[str]:
    return [f"{found.more} more fit: raise `limit`, or say more."] if found.more else []


@memory_tool
async def get_episode_chain(args: _EpisodeId, call: Call) -> str:
    """Show what led to an episode, from the first one of its story to itself."""
    episode = await find_named(call.memory, args.episode_id)
    chain = await call.memory.episodes.chain(episode.id)
    return "\n".join([rendering.render_arc(chain), *map(rendering.render_entry, chain)])


@memory_tool
async def replay_topic(args: _ReplayTopic, call: Call) -> str:
    """Replay what happened about a topic over time, oldest first."""
    return await _replayed(args, search.EpisodeQuery(text=args.topic, limit=args.limit), call)


@memory_tool
async def get_episode_sequence(args: _EpisodeSequence, call: Call) -> str:
    """List the episodes about a topic in the order they happened."""
    asked = search.EpisodeQuery(text=args.topic, limit=args.limit, min_relevance=args.min_relevance)
    return await _replayed(args, asked, call)


async def _replayed(args: _ReplayTopic, asked: search.EpisodeQuery, call: Call) -> str:
    asked = replace(asked, project=call.project(args.project))
    found = await search.replay(call.memory, asked, clock.utc_now(), call.context.zone)
    episodes = [each.record for each in found.hits]
    if not episodes:
        return f"No episodes found for topic: {args.topic}"
    return "\n".join([rendering.render_replay(args.topic, episodes), *_rest(found)])


@memory_tool
async def get_decision_sequence(args: _DecisionSequence, call: Call) -> str:
    """Show the decisions of one episode in order, each with its outcome and effects."""
    episode = await find_named(call.memory, args.episode_id, call.project(args.project))
    return rendering.render_decisions(episode)


SEARCH_TOOLS: tuple[BaseTool, ...] = (
    search_episodes,
    query_episodes,
    get_episode_chain,
    get_episode_sequence,
    replay_topic,
)
