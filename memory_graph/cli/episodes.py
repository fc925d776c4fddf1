"""`episodes list|show|search|chain|replay|delete`: what happened, as a timeline."""

from argparse import Namespace
from collections.abc import Sequence

from memory_graph import clock
from memory_graph.cli.changing import forget_memories
from memory_graph.cli.opening import open_user, zone_of
from memory_graph.cli.presenter import Presenter, Style
from memory_graph.cli.tables import short_id, show_found, show_record
from memory_graph.errors import ConfigurationError, RecordNotFoundError
from memory_graph.policy.episode_rendering import render_arc
from memory_graph.policy.periods import Period, read_period
from memory_graph.records import Episode, Outcome
from memory_graph.steps.episode_search import EpisodeQuery, find_episodes, replay
from memory_graph.steps.lookup import find_memory
from memory_graph.storage.scope import UserMemory

_STYLES: dict[Outcome, Style] = {
    "success": "good",
    "failure": "bad",
    "partial": "warning",
    "ongoing": "warning",
    "unknown": "dim",
}


async def list_episodes(args: Namespace, show: Presenter) -> int:
    """Print the latest episodes as a timeline, the oldest of them first."""
    async with open_user(args) as memory:
        found = await find_episodes(memory, _query(args), clock.utc_now())
    _show_timeline(show, [each.record for each in reversed(found)])
    return 0


async def show_episodes(args: Namespace, show: Presenter) -> int:
    """Print everything that is kept of one episode."""
    async with open_user(args) as memory:
        record = (await _episode(memory, args.id)).model_dump(mode="json")
    if show.as_json:
        show.data(record)
    else:
        show_record(show, record)
    return 0


async def search_episodes(args: Namespace, show: Presenter) -> int:
    """Print the episodes that are about something, each with its score."""
    async with open_user(args) as memory:
        found = await find_episodes(memory, _query(args, args.query), clock.utc_now())
    if show.as_json:
        show.data([{"score": e.score, **e.record.model_dump(mode="json")} for e in found])
    else:
        show_found(show, found)
    return 0


async def chain_episodes(args: Namespace, show: Presenter) -> int:
    """Print the arc that leads to an episode, its first part first."""
    async with open_user(args) as memory:
        episode = await _episode(memory, args.id)
        chain = await memory.episodes.chain(episode.id)
    _show_arc(show, chain)
    return 0


async def replay_episodes(args: Namespace, show: Presenter) -> int:
    """Print what happened about a topic, oldest first."""
    async with open_user(args) as memory:
        episodes = await replay(memory, args.topic, args.limit, clock.utc_now())
    _show_arc(show, episodes)
    return 0


async def delete_episodes(args: Namespace, show: Presenter) -> int:
    """Forget one episode, once that is confirmed."""
    async with open_user(args) as memory:
        episode = await _episode(memory, args.id)
    return await forget_memories(Namespace(**{**vars(args), "id": episode.id, "all": False}), show)


def _query(args: Namespace, text: str = "") -> EpisodeQuery:
    when = args.when or ""
    period = read_period("", "", when, now=clock.utc_now(), zone=zone_of(args))
    if not isinstance(period, Period):
        raise ConfigurationError(f"{when!r} names no time in the past; try `last week`.")
    return EpisodeQuery(
        text=text,
        period=period,
        outcome=args.outcome,
        tag=args.tag or "",
        project=args.project or "",
        limit=args.limit,
    )


async def _episode(memory: UserMemory, given: str) -> Episode:
    record = await find_memory(memory, given.removeprefix("episode:"))
    if not isinstance(record, Episode):
        raise RecordNotFoundError("episode", given)
    return record


def _show_arc(show: Presenter, episodes: Sequence[Episode]) -> None:
    if episodes and not show.as_json:
        show.line(render_arc(episodes), "bold")
    _show_timeline(show, episodes)


def _show_timeline(show: Presenter, episodes: Sequence[Episode]) -> None:
    if show.as_json:
        show.data([each.model_dump(mode="json") for each in episodes])
        return
    if not episodes:
        show.line("No episode fits.")
    for each in episodes:
        joined = "└─" if each.parent_episode_id else "●"
        show.line(f"{each.date_iso} {joined} {each.title}  [{short_id(each.id)}]", "bold")
        show.line(f"           │ {each.summary}")
        tags = ", ".join(each.metadata.tags) or "no tags"
        show.line(f"           │ {each.outcome} · {tags}", _STYLES[each.outcome])
