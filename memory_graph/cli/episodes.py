"""`episodes` and `decisions`: list, search, add and delete episodes, and show their decisions."""

import asyncio
from argparse import Namespace
from collections.abc import Sequence

from pydantic import ValidationError

from memory_graph import clock
from memory_graph.cli import output
from memory_graph.cli.memories import run_forget
from memory_graph.cli.open import context_of, read_input, zone_of
from memory_graph.cli.output import Presenter, Style
from memory_graph.curation.lookup import find_episode
from memory_graph.episodes import rendering, search
from memory_graph.episodes.stated import keep_episode
from memory_graph.errors import ConfigurationError
from memory_graph.memory import Memory, new_change
from memory_graph.records import Episode, Outcome
from memory_graph.store.scope import UserMemory
from memory_graph.tools._calls import tell_misuse
from memory_graph.tools.episodes import StoreEpisodeArgs, render_kept, stated_from
from memory_graph.transfer.session_log import read_session_log

_STYLES: dict[Outcome, Style] = {
    "success": "good",
    "failure": "bad",
    "partial": "warning",
    "ongoing": "warning",
    "unknown": "dim",
}


async def run_list(memory: UserMemory, args: Namespace, show: Presenter) -> None:
    """Show the latest episodes as a timeline, oldest first."""
    found = await _find(memory, args)
    _show_timeline(show, [each.record for each in reversed(found.hits)])
    _show_rest(show, found)


async def run_show(memory: Memory, args: Namespace, show: Presenter) -> None:
    """Show one episode in full."""
    output.show_record(show, (await memory.aepisode(args.id)).model_dump(mode="json"))


async def run_search(memory: UserMemory, args: Namespace, show: Presenter) -> None:
    """Find episodes, each with its score."""
    found = await _find(memory, args, args.query)
    if show.as_json:
        scored = [{"score": each.score, "strength": each.relevance} for each in found.hits]
        dumped = [each.record.model_dump(mode="json") for each in found.hits]
        show.data([{**score, **record} for score, record in zip(scored, dumped, strict=True)])
        return
    if found.phrase:
        read = "nothing of that time fits" if found.is_outside else "read as a time"
        show.line(f"{found.phrase!r}: {read}.", "dim")
    output.show_found(show, found.hits)
    _show_rest(show, found)


async def _find(memory: UserMemory, args: Namespace, text: str = "") -> search.EpisodesFound:
    now, zone = clock.utc_now(), zone_of(args)
    period = search.read_period("", "", args.when, now=now, zone=zone)
    if not isinstance(period, search.Period):
        raise ConfigurationError(f"{args.when!r} is not a time in the past; try `last week`.")
    named = {name: getattr(args, name) for name in ("outcome", "tag", "project", "limit")}
    query = search.EpisodeQuery(text=text, period=period, **named)
    return await search.find_episodes(memory, query, now, zone)


async def run_chain(memory: Memory, args: Namespace, show: Presenter) -> None:
    """Show what led to an episode, oldest first."""
    _show_arc(show, await memory.achain(args.id))


async def run_replay(memory: UserMemory, args: Namespace, show: Presenter) -> None:
    """Show the episodes about a topic, oldest first."""
    query = search.EpisodeQuery(text=args.topic, limit=args.limit, project=args.project)
    found = await search.replay(memory, query, clock.utc_now(), zone_of(args))
    _show_arc(show, [each.record for each in found.hits])
    _show_rest(show, found)


async def run_add(memory: UserMemory, args: Namespace, show: Presenter) -> None:
    """Keep an episode in your own words, or the log of a session."""
    given: dict[str, object] = {"content": args.content}
    if args.content == "-":
        given = read_session_log((await asyncio.to_thread(read_input, "-")).decode())
    known = StoreEpisodeArgs.model_fields.keys() - {"content"}
    given |= {name: value for name, value in vars(args).items() if name in known and value}
    try:
        stated = StoreEpisodeArgs.model_validate(given)
    except ValidationError as error:
        raise ConfigurationError(tell_misuse(error)) from error
    context, change = context_of(args), new_change("add")
    episode = await stated_from(stated, memory, context.zone)
    kept = await keep_episode(memory, episode, change, context.zone, context.capture)
    value = {**kept.episode.model_dump(mode="json"), "missing_facts": kept.missing_facts}
    show.answer(value, render_kept(kept))


async def run_delete(memory: Memory, args: Namespace, show: Presenter) -> int:
    """Delete an episode for good."""
    episode = await memory.aepisode(args.id)
    chosen = Namespace(**{**vars(args), "id": episode.id, "all": False})
    return await run_forget(memory, chosen, show)


def _show_rest(show: Presenter, found: search.EpisodesFound) -> None:
    if found.more and not show.as_json:
        show.line(f"{found.more} more fit; raise --limit.", "dim")


def _show_arc(show: Presenter, episodes: Sequence[Episode]) -> None:
    if episodes and not show.as_json:
        show.line(rendering.render_arc(episodes), "bold")
    _show_timeline(show, episodes)


def _show_timeline(show: Presenter, episodes: Sequence[Episode]) -> None:
    if show.as_json:
        show.data(episodes)
        return
    if not episodes:
        show.line("No episodes match.")
    for each in episodes:
        joined = "└─" if each.parent_episode_id else "●"
        show.line(f"{each.date_iso} {joined} {each.title}  [{output.short_id(each.id)}]", "bold")
        show.line(f"           │ {each.summary}")
        tags = ", ".join(each.metadata.tags) or "no tags"
        show.line(f"           │ {each.outcome} · {tags}", _STYLES[each.outcome])


async def run_decisions(memory: UserMemory, args: Namespace, show: Presenter) -> None:
    """Print the decisions of an episode in order, or as a flowchart."""
    episode = await find_episode(memory, args.id, project=args.project)
    drawn = rendering.draw_mermaid(episode)
    value = {
        "episode": episode.id,
        "decisions": rendering.decision_sequence(episode),
        "broken": rendering.find_link_problems(episode),
        "mermaid": drawn,
    }
    show.answer(value, drawn if args.mermaid else rendering.render_decisions(episode))
