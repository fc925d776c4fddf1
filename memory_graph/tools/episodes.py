"""Let the agent keep, look up and delete what happened."""

from collections.abc import Sequence

from langchain_core.tools import BaseTool, tool

from memory_graph import clock
from memory_graph.policy.episode_rendering import render_detail, render_entry
from memory_graph.records import Decision, Event, Fact, FactLink, Outcome
from memory_graph.steps.episode_keeping import Kept, StatedEpisode, draft_from, keep_episode
from memory_graph.steps.forget import forget
from memory_graph.steps.patterns import withdraw_episode
from memory_graph.steps.telling import report
from memory_graph.storage.scope import open_memory, run_context
from memory_graph.tools.calls import Runtime, answers_in_words, change_of
from memory_graph.tools.episode_args import (
    AddEpisodeArgs,
    DecisionArgs,
    EpisodeIdArgs,
    EventArgs,
    FactLinkArgs,
    GetEpisodeArgs,
    StoreEpisodeArgs,
)


@tool(args_schema=AddEpisodeArgs)
@answers_in_words
async def add_episode(  # noqa: PLR0913 — the model fills these by name
    content: str,
    runtime: Runtime,
    summary: str = "",
    title: str = "",
    project: str = "",
    fact_links: list[FactLinkArgs] | None = None,
    parent_episode_id: str | None = None,
) -> str:
    """Keep something that happened as an episode, in your own words."""
    stated = StatedEpisode(
        content=content,
        draft=draft_from(content, title=title, summary=summary),
        facts=_links(fact_links or ()),
        project=project or None,
        parent_id=bare_id(parent_episode_id) if parent_episode_id else None,
    )
    return _told(await _keep(runtime, stated, "add_episode"))


@tool(args_schema=StoreEpisodeArgs)
@answers_in_words
async def store_episode(  # noqa: PLR0913 — the model fills these by name
    content: str,
    runtime: Runtime,
    summary: str = "",
    title: str = "",
    project: str = "",
    fact_links: list[FactLinkArgs] | None = None,
    parent_episode_id: str | None = None,
    outcome: Outcome = "unknown",
    decisions: list[DecisionArgs] | None = None,
    events: list[EventArgs] | None = None,
    metrics: dict[str, float] | None = None,
    **lists: list[str],
) -> str:
    """Keep an episode with its decisions, events, lessons, metrics and people."""
    known = {name: tuple(values) for name, values in lists.items() if values}
    draft = draft_from(content, title=title, summary=summary)
    stated = StatedEpisode(
        content=content,
        draft=draft.model_copy(update={"outcome": outcome, **known}),
        decisions=tuple(_decision(n, each) for n, each in enumerate(decisions or (), start=1)),
        events=tuple(_event(n, each) for n, each in enumerate(events or (), start=1)),
        metrics=metrics or {},
        facts=_links(fact_links or ()),
        project=project or None,
        parent_id=bare_id(parent_episode_id) if parent_episode_id else None,
    )
    return _told(await _keep(runtime, stated, "store_episode"))


@tool(args_schema=GetEpisodeArgs)
@answers_in_words
async def get_episode(episode_id: str, runtime: Runtime, include_facts: bool = False) -> str:
    """Read everything that is kept of one episode."""
    memory = open_memory(runtime, runtime.config)
    episode = await memory.episodes.get(bare_id(episode_id))
    facts: list[tuple[Fact, int, float]] = []
    if include_facts:
        known = await memory.facts.find(link.fact_id for link in episode.facts)
        facts = [
            (known[link.fact_id], link.position, link.confidence)
            for link in episode.facts
            if link.fact_id in known
        ]
    await memory.commit(await memory.access.touch([episode.id], clock.utc_now()))
    return render_detail(episode, facts)


@tool(args_schema=EpisodeIdArgs)
@answers_in_words
async def delete_episode(episode_id: str, runtime: Runtime) -> str:
    """Delete one episode for good, with what patterns learnt from it."""
    memory = open_memory(runtime, runtime.config)
    episode = await memory.episodes.get(bare_id(episode_id))
    await forget(memory, episode, clock.utc_now())
    await withdraw_episode(memory, episode.id, change_of(runtime, "delete_episode"))
    return f"Deleted the episode {episode.id}."


EPISODE_TOOLS: tuple[BaseTool, ...] = (add_episode, store_episode, get_episode, delete_episode)


def bare_id(episode_id: str) -> str:
    """Return an id without the `episode:` that models like to put before it."""
    return episode_id.strip().removeprefix("episode:")


async def _keep(runtime: Runtime, stated: StatedEpisode, by: str) -> Kept:
    context = run_context(runtime, runtime.config)
    kept = await keep_episode(
        open_memory(runtime, runtime.config),
        StatedEpisode(**{**vars(stated), "project": stated.project or context.project}),
        change_of(runtime, by),
        context.zone,
        context.capture,
    )
    report(runtime, by, [kept.decision])
    return kept


def _told(kept: Kept) -> str:
    told = f"Kept:\n{render_entry(kept.episode)}"
    if kept.missing_facts:
        told += f"\nNot linked, because no such fact exists: {', '.join(kept.missing_facts)}."
    return told


def _links(links: Sequence[FactLinkArgs]) -> tuple[FactLink, ...]:
    return tuple(
        FactLink(fact_id=each.fact_id, position=position, confidence=each.confidence)
        for position, each in enumerate(links, start=1)
    )


def _decision(number: int, args: DecisionArgs) -> Decision:
    return Decision(id=f"d{number:03d}", timestamp=clock.utc_now(), **args.model_dump())


def _event(number: int, args: EventArgs) -> Event:
    return Event(id=f"e{number:03d}", timestamp=clock.utc_now(), **args.model_dump())
