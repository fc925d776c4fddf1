"""`episodes` and `decisions`: list, search, add and delete episodes, and show their decisions."""

import asyncio
from argparse import Namespace
from collections.abc import Sequence
from typing import get_args

from pydantic import ValidationError

from memory_graph import clock
from memory_graph.cli import output
from memory_graph.cli.commands import LIMIT, YES, Group, arg, flag
from memory_graph.cli.memories import run_forget
from memory_graph.cli.open import context_of, open_memory, open_user, read_input, zone_of
from memory_graph.cli.output import Presenter, Style
from memory_graph.curation.lookup import find_episode
from memory_graph.episodes import rendering, search
from memory_graph.episodes.stated import keep_episode
from memory_graph.errors import ConfigurationError
from memory_graph.memory import new_change
from memory_graph.records import Episode, Outcome
from memory_graph.tools._calls import tell_misuse
from memory_graph.tools.episodes import StoreEpisodeArgs, render_kept, stated_from
from memory_graph.transfer.session_log import read_session_log

COMMANDS = Group()
ID = arg("id", metavar="ID", help="episode id, or the beginning of one")
PROJECT = arg("--project", default="", metavar="NAME", help="only this project")
FILTERS = (
    arg("--when", default="", metavar="PHRASE", help="only this time, e.g. 'last week'"),
    arg("--outcome", choices=get_args(Outcome), help="only this outcome"),
    arg("--tag", default="", metavar="TAG", help="only this tag"),
    PROJECT,
    LIMIT,
)
_STATED = (
    arg("--title", metavar="TEXT", help="a few words (default: the first sentence)"),
    arg("--summary", metavar="TEXT", help="one or two sentences"),
    arg("--outcome", choices=get_args(Outcome), help="how it ended"),
    arg("--session", dest="session_id", metavar="ID", help="such as 2026-01-21-session-42"),
    arg("--project", metavar="NAME", help="the project it belongs to"),
    arg("--parent", dest="parent_episode_id", metavar="ID", help="the episode it continues"),
    arg("--tag", dest="tags", action="append", metavar="TAG", help="a keyword; may be repeated"),
)
_STYLES: dict[Outcome, Style] = {
    "success": "good",
    "failure": "bad",
    "partial": "warning",
    "ongoing": "warning",
    "unknown": "dim",
}


@COMMANDS.command("episodes list", *FILTERS, example="--when yesterday")
async def run_list(args: Namespace, show: Presenter) -> None:
    """Show the latest episodes as a timeline, oldest first."""
    found = await _find(args)
    _show_timeline(show, [each.record for each in reversed(found.hits)])
    _show_rest(show, found)


@COMMANDS.command("episodes show", ID, example="ep-3fa9c2d1")
async def run_show(args: Namespace, show: Presenter) -> None:
    """Show one episode in full."""
    async with open_memory(args) as memory:
        output.show_record(show, (await memory.aepisode(args.id)).model_dump(mode="json"))


@COMMANDS.command(
    "episodes search",
    arg("query", metavar="QUERY", help="text to search for"),
    *FILTERS,
    example='"leak"',
)
async def run_search(args: Namespace, show: Presenter) -> None:
    """Find episodes, each with its score."""
    found = await _find(args, args.query)
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


async def _find(args: Namespace, text: str = "") -> search.EpisodesFound:
    now, zone = clock.utc_now(), zone_of(args)
    period = search.read_period("", "", args.when, now=now, zone=zone)
    if not isinstance(period, search.Period):
        raise ConfigurationError(f"{args.when!r} is not a time in the past; try `last week`.")
    named = {name: getattr(args, name) for name in ("outcome", "tag", "project", "limit")}
    async with open_user(args) as memory:
        query = search.EpisodeQuery(text=text, period=period, **named)
        return await search.find_episodes(memory, query, now, zone)


@COMMANDS.command("episodes chain", ID, example="ep-3fa9c2d1")
async def run_chain(args: Namespace, show: Presenter) -> None:
    """Show what led to an episode, oldest first."""
    async with open_memory(args) as memory:
        _show_arc(show, await memory.achain(args.id))


@COMMANDS.command(
    "episodes replay",
    arg("topic", metavar="TOPIC", help="text to search for"),
    PROJECT,
    LIMIT,
    example='"leak"',
)
async def run_replay(args: Namespace, show: Presenter) -> None:
    """Show the episodes about a topic, oldest first."""
    query = search.EpisodeQuery(text=args.topic, limit=args.limit, project=args.project)
    async with open_user(args) as memory:
        found = await search.replay(memory, query, clock.utc_now(), zone_of(args))
    _show_arc(show, [each.record for each in found.hits])
    _show_rest(show, found)


@COMMANDS.command(
    "episodes add",
    arg(
        "content",
        metavar="TEXT",
        help="what happened; `-` reads stdin: a session log, or the JSON of `store_episode`",
    ),
    *_STATED,
    example="- --session 2026-01-21-session-42",
)
async def run_add(args: Namespace, show: Presenter) -> None:
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
    async with open_user(args) as memory:
        episode = await stated_from(stated, memory, context.zone)
        kept = await keep_episode(memory, episode, change, context.zone, context.capture)
    value = {**kept.episode.model_dump(mode="json"), "missing_facts": kept.missing_facts}
    show.answer(value, render_kept(kept))


@COMMANDS.command("episodes delete", ID, YES, example="ep-3fa9c2d1 --yes")
async def run_delete(args: Namespace, show: Presenter) -> int:
    """Delete an episode for good."""
    async with open_memory(args) as memory:
        episode = await memory.aepisode(args.id)
    return await run_forget(Namespace(**{**vars(args), "id": episode.id, "all": False}), show)


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


@COMMANDS.command(
    "decisions",
    ID,
    arg("--project", default="", metavar="NAME", help="the session's project"),
    flag("--mermaid", "print a Mermaid flowchart"),
)
async def run_decisions(args: Namespace, show: Presenter) -> None:
    """Print the decisions of an episode in order, or as a flowchart."""
    async with open_user(args) as memory:
        episode = await find_episode(memory, args.id, project=args.project)
    drawn = rendering.draw_mermaid(episode)
    value = {
        "episode": episode.id,
        "decisions": rendering.decision_sequence(episode),
        "broken": rendering.find_link_problems(episode),
        "mermaid": drawn,
    }
    show.answer(value, drawn if args.mermaid else rendering.render_decisions(episode))
