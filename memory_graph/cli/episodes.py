"""`episodes`, `decisions` and `maintain`: what happened, why, and the upkeep of it."""

import asyncio
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import get_args
from uuid import uuid4

from pydantic import ValidationError

from memory_graph import clock
from memory_graph.cli.memories import run_forget
from memory_graph.cli.open import context_of, open_memory, open_store, open_user, zone_of
from memory_graph.cli.output import Presenter, Style, short_id, show_found, show_record
from memory_graph.cli.parser import (
    FAILED,
    USAGE,
    Actions,
    Group,
    add_action,
    add_actions,
    add_user,
    set_run,
)
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


def define_episodes(command: ArgumentParser) -> None:
    """Add the actions of `episodes`."""
    actions = add_actions(command)
    _add_filters(add_action(actions, "list", run_list, "show a timeline", "--when yesterday"))
    _add_id(add_action(actions, "show", run_show, "show one episode in full", "ep-3fa9c2d1"))
    found = add_action(actions, "search", run_search, "find episodes, with scores", '"leak"')
    found.add_argument("query", metavar="QUERY", help="text to search for")
    _add_filters(found)
    _add_id(add_action(actions, "chain", run_chain, "show what led to an episode", "ep-3fa9c2d1"))
    replayed = add_action(actions, "replay", run_replay, "show a topic over time", '"leak"')
    replayed.add_argument("topic", metavar="TOPIC", help="text to search for")
    replayed.add_argument("--project", metavar="NAME", help="only this project")
    _add_limit(replayed)
    _add_adding(actions)
    deleted = add_action(
        actions, "delete", run_delete, "delete an episode for good", "ep-3fa9c2d1 --yes"
    )
    _add_id(deleted)
    deleted.add_argument("--yes", action="store_true", help="do not ask for confirmation")


def _add_adding(actions: Actions) -> None:
    added = add_action(
        actions,
        "add",
        run_add,
        "keep an episode, or the log of a session",
        "- --session 2026-01-21-session-42",
    )
    added.add_argument(
        "content",
        metavar="TEXT",
        help="what happened; `-` reads stdin: a session log, or the JSON of `store_episode`",
    )
    added.add_argument("--title", metavar="TEXT", help="a few words (default: the first sentence)")
    added.add_argument("--summary", metavar="TEXT", help="one or two sentences")
    added.add_argument("--outcome", choices=get_args(Outcome), help="how it ended")
    added.add_argument("--session", metavar="ID", help="for example 2026-01-21-session-42")
    added.add_argument("--project", metavar="NAME", help="the project it belongs to")
    added.add_argument("--parent", metavar="ID", help="the episode it continues (default: found)")
    added.add_argument("--tag", action="append", metavar="TAG", help="a keyword; may be repeated")


def define_decisions(command: ArgumentParser) -> None:
    """Add the arguments of `decisions`."""
    set_run(command, run_decisions)
    add_user(command)
    _add_id(command)
    command.add_argument("--project", default="", metavar="NAME", help="the session's project")
    command.add_argument("--mermaid", action="store_true", help="print a Mermaid flowchart")


def define_maintain(command: ArgumentParser) -> None:
    """Add the arguments of `maintain`."""
    set_run(command, run_maintain)
    add_user(command)
    command.add_argument(
        "--all-users", action="store_true", help="everybody, from where the last run ended"
    )
    mode = command.add_mutually_exclusive_group()
    mode.add_argument("--dry-run", action="store_true", help="only show the changes (default)")
    mode.add_argument("--apply", action="store_true", help="make the changes")


def _add_id(action: ArgumentParser) -> None:
    action.add_argument("id", metavar="ID", help="episode id, or the beginning of one")


def _add_limit(action: ArgumentParser) -> None:
    action.add_argument("--limit", type=int, default=20, metavar="N", help="at most N episodes")


def _add_filters(action: ArgumentParser) -> None:
    action.add_argument("--when", metavar="PHRASE", help="only this time, e.g. 'last week'")
    action.add_argument("--outcome", choices=get_args(Outcome), help="only this outcome")
    action.add_argument("--tag", metavar="TAG", help="only this tag")
    action.add_argument("--project", metavar="NAME", help="only this project")
    _add_limit(action)


_STYLES: dict[Outcome, Style] = {
    "success": "good",
    "failure": "bad",
    "partial": "warning",
    "ongoing": "warning",
    "unknown": "dim",
}


async def run_list(args: Namespace, show: Presenter) -> int:
    """Print the latest episodes as a timeline, oldest first."""
    async with open_user(args) as memory:
        found = await find_episodes(memory, _query(args), clock.utc_now(), zone_of(args))
    _show_timeline(show, [each.record for each in reversed(found.hits)])
    _show_rest(show, found)
    return 0


async def run_show(args: Namespace, show: Presenter) -> int:
    """Print one episode in full."""
    async with open_user(args) as memory:
        record = (await find_episode(memory, args.id)).model_dump(mode="json")
    if show.as_json:
        show.data(record)
    else:
        show_record(show, record)
    return 0


async def run_search(args: Namespace, show: Presenter) -> int:
    """Print the episodes that match a query, each with its score."""
    async with open_user(args) as memory:
        now, zone = clock.utc_now(), zone_of(args)
        found = await find_episodes(memory, _query(args, args.query), now, zone)
    if show.as_json:
        show.data(
            [
                {"score": e.score, "strength": e.relevance, **e.record.model_dump(mode="json")}
                for e in found.hits
            ]
        )
        return 0
    if found.phrase:
        read = "nothing of that time fits" if found.is_outside else "read as a time"
        show.line(f"{found.phrase!r}: {read}.", "dim")
    show_found(show, found.hits)
    _show_rest(show, found)
    return 0


async def run_chain(args: Namespace, show: Presenter) -> int:
    """Print the episodes that led to an episode, oldest first."""
    async with open_user(args) as memory:
        episode = await find_episode(memory, args.id)
        chain = await memory.episodes.chain(episode.id)
    _show_arc(show, chain)
    return 0


async def run_replay(args: Namespace, show: Presenter) -> int:
    """Print the episodes about a topic, oldest first."""
    async with open_user(args) as memory:
        query = EpisodeQuery(text=args.topic, limit=args.limit, project=args.project or "")
        found = await replay(memory, query, clock.utc_now(), zone_of(args))
    _show_arc(show, [each.record for each in found.hits])
    _show_rest(show, found)
    return 0


async def run_add(args: Namespace, show: Presenter) -> int:
    """Keep an episode in somebody's own words, or the log of a session."""
    text = await asyncio.to_thread(sys.stdin.read) if args.content == "-" else args.content
    given = read_session_log(text) if args.content == "-" else {"content": text}
    named = {
        "title": args.title,
        "summary": args.summary,
        "outcome": args.outcome,
        "session_id": args.session,
        "project": args.project,
        "parent_episode_id": args.parent,
        "tags": args.tag,
    }
    given |= {name: value for name, value in named.items() if value}
    try:
        stated = StoreEpisodeArgs.model_validate(given)
    except ValidationError as error:
        show.problem(tell_misuse(error))
        return USAGE
    context, change = context_of(args), Change(id=uuid4().hex, by="add", at=clock.utc_now())
    async with open_user(args) as memory:
        told = await stated_from(stated, memory, context.zone)
        kept = await keep_episode(memory, told, change, context.zone, context.capture)
    if show.as_json:
        missing = list(kept.missing_facts)
        show.data({**kept.episode.model_dump(mode="json"), "missing_facts": missing})
    else:
        show.line(tell_kept(kept))
    return 0


async def run_delete(args: Namespace, show: Presenter) -> int:
    """Delete one episode, after confirmation."""
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
        show.data([each.model_dump(mode="json") for each in episodes])
        return
    if not episodes:
        show.line("No episodes match.")
    for each in episodes:
        joined = "└─" if each.parent_episode_id else "●"
        show.line(f"{each.date_iso} {joined} {each.title}  [{short_id(each.id)}]", "bold")
        show.line(f"           │ {each.summary}")
        tags = ", ".join(each.metadata.tags) or "no tags"
        show.line(f"           │ {each.outcome} · {tags}", _STYLES[each.outcome])


async def run_decisions(args: Namespace, show: Presenter) -> int:
    """Print the decisions of an episode in order, or as a flowchart."""
    async with open_user(args) as memory:
        episode = await find_episode(memory, args.id, project=args.project)
    if show.as_json:
        show.data(_decisions_as_json(episode))
    else:
        show.line(draw_mermaid(episode) if args.mermaid else render_decisions(episode))
    return 0


def _decisions_as_json(episode: Episode) -> dict[str, object]:
    return {
        "episode": episode.id,
        "decisions": [each.model_dump(mode="json") for each in decision_sequence(episode)],
        "broken": [
            {"source": each.source, "field": each.field, "target": each.target}
            for each in find_link_problems(episode)
        ],
        "mermaid": draw_mermaid(episode),
    }


async def run_maintain(args: Namespace, show: Presenter) -> int:
    """Print the changes that are due; make them with `--apply`."""
    if args.all_users:
        return await _maintain_all(args, show)
    async with open_memory(args) as memory:
        decisions = await memory.amaintain(apply=args.apply)
    if show.as_json:
        show.data(
            {
                "applied": args.apply,
                "changes": [{"id": each.memory_id, "reason": each.reason} for each in decisions],
            }
        )
        return 0
    rows = [(short_id(each.memory_id or ""), each.action, each.reason) for each in decisions]
    show.table("Changes", ("id", "action", "reason"), rows)
    if decisions and not args.apply:
        show.line("Nothing was changed; use `--apply` to make the changes.", "dim")
    return 0


async def _maintain_all(args: Namespace, show: Presenter) -> int:
    from memory_graph.maintenance import sweep  # noqa: PLC0415 — brings a graph

    async with open_store(args) as backend:
        swept = await sweep(backend.store, context_of(args), apply=args.apply)
    if show.as_json:
        show.data({"applied": args.apply, **swept})
        return FAILED if swept["failed"] else 0
    rows = [(reason, str(count)) for reason, count in sorted(swept["changes"].items())]
    show.table("Changes", ("reason", "memories"), rows)
    show.line(f"{swept['users']} users, {swept['failed']} failed, {swept['remaining']} remaining.")
    if not args.apply:
        show.line("Nothing was changed; use `--apply` to make the changes.", "dim")
    return FAILED if swept["failed"] else 0


COMMANDS: Group = {
    "decisions": define_decisions,
    "episodes": define_episodes,
    "maintain": define_maintain,
}
