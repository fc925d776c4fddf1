"""Let the agent find episodes, and retrace how a story went."""

from langchain_core.tools import BaseTool, tool

from memory_graph import clock
from memory_graph.policy.episode_rendering import render_arc, render_entry
from memory_graph.policy.periods import Period, PeriodProblem, read_period
from memory_graph.records import Outcome
from memory_graph.steps.episode_search import EpisodeQuery, find_episodes, replay
from memory_graph.storage.scope import open_memory, run_context
from memory_graph.tools.calls import Runtime, answers_in_words
from memory_graph.tools.episode_args import (
    EpisodeIdArgs,
    QueryEpisodesArgs,
    ReplayTopicArgs,
    SearchEpisodesArgs,
)
from memory_graph.tools.episodes import bare_id

_PROBLEMS: dict[PeriodProblem, str] = {
    "unreadable_start": "`time_start` is no time. Write it like 2026-11-16 or 2026-11-16T09:00.",
    "unreadable_end": "`time_end` is no time. Write it like 2026-11-16 or 2026-11-16T09:00.",
    "unreadable_when": "`when` names no time in the past. Try `last week` or use `time_start`.",
    "end_before_start": "`time_end` is before `time_start`. Swap them or widen the range.",
}
_NONE = "No episode fits. Do not invent one."


@tool(args_schema=SearchEpisodesArgs)
@answers_in_words
async def search_episodes(  # noqa: PLR0913 — the model fills these by name
    query: str,
    runtime: Runtime,
    time_start: str = "",
    time_end: str = "",
    when: str = "",
    outcome: Outcome | None = None,
    limit: int = 10,
    **names: str,
) -> str:
    """Find episodes by what they were about, and when, where or with whom they happened."""
    period = _period(runtime, time_start, time_end, when)
    if not isinstance(period, Period):
        return _PROBLEMS[period]
    asked = EpisodeQuery(text=query, period=period, outcome=outcome, limit=limit, **names)
    return await _answer(runtime, asked)


@tool(args_schema=QueryEpisodesArgs)
@answers_in_words
async def query_episodes(  # noqa: PLR0913 — the model fills these by name
    runtime: Runtime,
    time_start: str = "",
    time_end: str = "",
    when: str = "",
    outcome: Outcome | None = None,
    limit: int = 10,
    **names: str,
) -> str:
    """List the latest episodes that have all of what you name."""
    period = _period(runtime, time_start, time_end, when)
    if not isinstance(period, Period):
        return _PROBLEMS[period]
    return await _answer(
        runtime, EpisodeQuery(period=period, outcome=outcome, limit=limit, **names)
    )


@tool(args_schema=EpisodeIdArgs)
@answers_in_words
async def get_episode_chain(episode_id: str, runtime: Runtime) -> str:
    """Retrace the arc that leads to an episode, its first part first."""
    memory = open_memory(runtime, runtime.config)
    chain = await memory.episodes.chain(bare_id(episode_id))
    return "\n".join([render_arc(chain), *map(render_entry, chain)])


@tool(args_schema=ReplayTopicArgs)
@answers_in_words
async def replay_topic(topic: str, runtime: Runtime, limit: int = 5) -> str:
    """Replay what happened about a topic over time, oldest first."""
    memory = open_memory(runtime, runtime.config)
    episodes = await replay(memory, topic, limit, clock.utc_now())
    if not episodes:
        return _NONE
    return "\n".join([render_arc(episodes), *map(render_entry, episodes)])


EPISODE_SEARCH_TOOLS: tuple[BaseTool, ...] = (
    search_episodes,
    query_episodes,
    get_episode_chain,
    replay_topic,
)


def _period(runtime: Runtime, start: str, end: str, when: str) -> Period | PeriodProblem:
    zone = run_context(runtime, runtime.config).zone
    return read_period(start, end, when, now=clock.utc_now(), zone=zone)


async def _answer(runtime: Runtime, asked: EpisodeQuery) -> str:
    memory = open_memory(runtime, runtime.config)
    found = await find_episodes(memory, asked, clock.utc_now())
    return "\n".join(render_entry(each.record) for each in found) or _NONE
