"""`episodes` and `decisions`: what happened, by time, thread and topic, and why."""

import asyncio
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import get_args
from uuid import uuid4

from pydantic import ValidationError

from memory_graph import clock
from memory_graph.cli.commands import USAGE, Group, arg, flag
from memory_graph.cli.memories import run_forget
from memory_graph.cli.open import context_of, open_user, zone_of
from memory_graph.cli.output import Presenter, Style, short_id, show_found, show_record
from memory_graph.curation.lookup import find_episode
from memory_graph.episodes.rendering import (
    decision_sequence,
    draw_mermaid,
    find_link_problems,
    render_arc,
    render_decisions,
)
from memory_graph.episodes.search import (
    EpisodeQuery,
    EpisodesFound,
    Period,
    find_episodes,
    read_period,
    replay,
)
from memory_graph.episodes.stated import keep_episode
from memory_graph.errors import ConfigurationError
from memory_graph.records import Change, Episode, Outcome
from memory_graph.tools._calls import tell_misuse
from memory_graph.tools.episodes import StoreEpisodeArgs, stated_from, tell_kept
from memory_graph.transfer.session_log import read_session_log

COMMANDS = Group()
ID = arg("id", metavar="ID", help="episode id, or the beginning of one")
LIMIT = arg("--limit", type=int, default=20, metavar="N", help="at most N episodes")
FILTERS = (
    arg("--when", metavar="PHRASE", help="only this time, e.g. 'last week'"),
    arg("--outcome", choices=get_args(Outcome), help="only this outcome"),
    arg("--tag", metavar="TAG", help="only this tag"),
    arg("--project", metavar="NAME", help="only this project"),
    LIMIT,
)
_STYLES: dict[Outcome, Style] = {
    "success": "good",
    "failure": "bad",
    "partial": "warning",
    "ongoing": "warning",
    "unknown": "dim",
}


@COMMANDS.command("episodes list", "--when yesterday", *FILTERS)
async def run_list(args: Namespace, show: Presenter) -> None:
    """Show the latest episodes as a timeline, oldest first."""
    async with open_user(args) as memory:
        found = await find_episodes(memory, _query(args), clock.utc_now(), zone_of(args))
    _show_timeline(show, [each.record for each in reversed(found.hits)])
    _show_rest(show, found)


@COMMANDS.command("episodes show", "ep-3fa9c2d1", ID)
async def run_show(args: Namespace, show: Presenter) -> None:
    """Show one episode in full."""
    async with open_user(args) as memory:
        show_record(show, (await find_episode(memory, args.id)).model_dump(mode="json"))


@COMMANDS.command(
    "episodes search", '"leak"', arg("query", metavar="QUERY", help="text to search for"), *FILTERS
)
async def run_search(args: Namespace, show: Presenter) -> None:
    """Find episodes, each with its score."""
    async with open_user(args) as memory:
        now, zone = clock.utc_now(), zone_of(args)
        found = await find_episodes(memory, _query(args, args.query), now, zone)
    if show.as_json:
        scores = [{"score": each.score, "strength": each.relevance} for each in found.hits]
        records = [each.record.model_dump(mode="json") for each in found.hits]
        show.data([{**s, **record} for s, record in zip(scores, records, strict=True)])
        return
    if found.phrase:
        read = "nothing of that time fits" if found.is_outside else "read as a time"
        show.line(f"{found.phrase!r}: {read}.", "dim")
    show_found(show, found.hits)
    _show_rest(show, found)


@COMMANDS.command("episodes chain", "ep-3fa9c2d1", ID)
async def run_chain(args: Namespace, show: Presenter) -> None:
    """Show what led to an episode, oldest first."""
    async with open_user(args) as memory:
        episode = await find_episode(memory, args.id)
        _show_arc(show, await memory.episodes.chain(episode.id))


@COMMANDS.command(
    "episodes replay",
    '"leak"',
    arg("topic", metavar="TOPIC", help="text to search for"),
    arg("--project", metavar="NAME", help="only this project"),
    LIMIT,
)
async def run_replay(args: Namespace, show: Presenter) -> None:
    """Show the episodes about a topic, oldest first."""
    async with open_user(args) as memory:
        query = EpisodeQuery(text=args.topic, limit=args.limit, project=args.project or "")
        found = await replay(memory, query, clock.utc_now(), zone_of(args))
    _show_arc(show, [each.record for each in found.hits])
    _show_rest(show, found)


@COMMANDS.command(
    "episodes add",
    "- --session 2026-01-21-session-42",
    arg(
        "content",
        metavar="TEXT",
        help="what happened; `-` reads stdin: a session log, or the JSON of `store_episode`",
    ),
    arg("--title", metavar="TEXT", help="a few words (default: the first sentence)"),
    arg("--summary", metavar="TEXT", help="one or two sentences"),
    arg("--outcome", choices=get_args(Outcome), help="how it ended"),
    arg("--session", dest="session_id", metavar="ID", help="such as 2026-01-21-session-42"),
    arg("--project", metavar="NAME", help="the project it belongs to"),
    arg("--parent", dest="parent_episode_id", metavar="ID", help="the episode it continues"),
    arg("--tag", dest="tags", action="append", metavar="TAG", help="a keyword; may be repeated"),
)
async def run_add(args: Namespace, show: Presenter) -> int:
    """Keep an episode in your own words, or the log of a session."""
    text = await asyncio.to_thread(sys.stdin.read) if args.content == "-" else args.content
    given = read_session_log(text) if args.content == "-" else {"content": text}
    named = ("title", "summary", "outcome", "session_id", "project", "parent_episode_id", "tags")
    given |= {name: value for name in named if (value := getattr(args, name))}
    try:
        stated = StoreEpisodeArgs.model_validate(given)
    except ValidationError as error:
        show.problem(tell_misuse(error))
        return USAGE
    context, change = context_of(args), Change(id=uuid4().hex, by="add", at=clock.utc_now())
    async with open_user(args) as memory:
        told = await stated_from(stated, memory, context.zone)
        kept = await keep_episode(memory, told, change, context.zone, context.capture)
    value = {**kept.episode.model_dump(mode="json"), "missing_facts": kept.missing_facts}
    return show.answer(value, lambda: show.line(tell_kept(kept)))


@COMMANDS.command(
    "episodes delete", "ep-3fa9c2d1 --yes", ID, flag("--yes", "do not ask for confirmation")
)
async def run_delete(args: Namespace, show: Presenter) -> int:
    """Delete an episode for good."""
    async with open_user(args) as memory:
        episode = await find_episode(memory, args.id)
    return await run_forget(Namespace(**{**vars(args), "id": episode.id, "all": False}), show)


def _query(args: Namespace, text: str = "") -> EpisodeQuery:
    when = args.when or ""
    period = read_period("", "", when, now=clock.utc_now(), zone=zone_of(args))
    if not isinstance(period, Period):
        raise ConfigurationError(f"{when!r} is not a time in the past; try `last week`.")
    return EpisodeQuery(
        text=text,
        period=period,
        outcome=args.outcome,
        tag=args.tag or "",
        project=args.project or "",
        limit=args.limit,
    )


def _show_rest(show: Presenter, found: EpisodesFound) -> None:
    if found.more and not show.as_json:
        show.line(f"{found.more} more fit; raise --limit.", "dim")


def _show_arc(show: Presenter, episodes: Sequence[Episode]) -> None:
    if episodes and not show.as_json:
        show.line(render_arc(episodes), "bold")
    _show_timeline(show, episodes)


def _show_timeline(show: Presenter, episodes: Sequence[Episode]) -> None:
    if show.as_json:
        show.data(episodes)
        return
    if not episodes:
        show.line("No episodes match.")
    for each in episodes:
        joined = "└─" if each.parent_episode_id else "●"
        show.line(f"{each.date_iso} {joined} {each.title}  [{short_id(each.id)}]", "bold")
        show.line(f"           │ {each.summary}")
        tags = ", ".join(each.metadata.tags) or "no tags"
        show.line(f"           │ {each.outcome} · {tags}", _STYLES[each.outcome])


@COMMANDS.command(
    "decisions",
    "ep-3fa9c2d1",
    ID,
    arg("--project", default="", metavar="NAME", help="the session's project"),
    flag("--mermaid", "print a Mermaid flowchart"),
)
async def run_decisions(args: Namespace, show: Presenter) -> None:
    """Print the decisions of an episode in order, or as a flowchart."""
    async with open_user(args) as memory:
        episode = await find_episode(memory, args.id, project=args.project)
    value = {
        "episode": episode.id,
        "decisions": decision_sequence(episode),
        "broken": find_link_problems(episode),
        "mermaid": draw_mermaid(episode),
    }
    told = draw_mermaid(episode) if args.mermaid else render_decisions(episode)
    show.answer(value, lambda: show.line(told))
