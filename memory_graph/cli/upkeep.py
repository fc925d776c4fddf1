"""`audit` and `shards`: what in a memory is of no use, and where users live."""

import asyncio
import json
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from memory_graph import clock
from memory_graph.cli.open import open_memory, open_store
from memory_graph.cli.output import Presenter, count, decision_line
from memory_graph.cli.parser import (
    USAGE,
    Group,
    add_action,
    add_actions,
    add_parser,
    add_user,
    set_run,
)
from memory_graph.curation.audit import JUNK, MEANINGS, AuditReport, Fix
from memory_graph.curation.lookup import short_name
from memory_graph.errors import ConfigurationError
from memory_graph.store.backends.sharded import ShardedStore, move_users, spread, users_of
from memory_graph.store.scope import user_label
from memory_graph.transfer.incoming import Incoming
from memory_graph.transfer.other_systems import ANOTHER_USER, read_dump, read_export

_SHOWN = 20
"""Findings of one kind that are printed; `--json` prints all of them."""


def define_audit(command: ArgumentParser) -> None:
    """Add the arguments of `audit`."""
    set_run(command, run_audit)
    add_user(command)
    source = command.add_mutually_exclusive_group()
    source.add_argument("--mem0", metavar="FILE", help="look at a mem0 export instead")
    source.add_argument("--langmem", metavar="FILE", help="look at LangMem items, as JSON, instead")
    command.add_argument("--fix", action="store_true", help="show how it would be mended")
    command.add_argument("--apply", action="store_true", help="with --fix: mend it; `undo` reverts")


async def run_audit(args: Namespace, show: Presenter) -> int:
    """Print what is of no use; with `--fix`, how it is mended; with `--apply`, after mending it."""
    is_export = bool(args.mem0 or args.langmem)
    if (args.apply and not args.fix) or (args.fix and is_export):
        show.problem("--apply goes with --fix, and an export is mended where it comes from.")
        return USAGE
    incoming = await asyncio.to_thread(_incoming, args)
    async with open_memory(args) as memory:
        report = await memory.aaudit(incoming)
        mended = await memory.afix(report, apply=args.apply) if args.fix else None
    if show.as_json:
        show.data({**report.as_json(), **(mended.as_json() if mended else {})})
        return 0
    _show_report(show, report)
    _show_others(show, incoming)
    if mended:
        _show_fix(show, mended)
    return 0


def _incoming(args: Namespace) -> Incoming | None:
    if args.mem0:
        return read_export(_read(args.mem0), args.user, clock.utc_now())
    return read_dump(_read(args.langmem), clock.utc_now()) if args.langmem else None


def _read(file: str) -> object:
    try:
        return json.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{file} cannot be read as JSON: {error}") from error


def _show_report(show: Presenter, report: AuditReport) -> None:
    for kind, number in report.counts.items():
        if not number:
            continue
        show.line(f"{kind} ({number}): {MEANINGS[kind]}", "bad" if kind in JUNK else "warning")
        found = [each for each in report.findings if each.kind == kind]
        for each in found[:_SHOWN]:
            show.line(f"  {' / '.join(each.memory_ids)}  {each.text}  {each.detail}".rstrip())
        if number > _SHOWN:
            show.line(f"  … and {number - _SHOWN} more; --json lists all.", "dim")
    for reason, number in report.refused.items():
        show.line(f"{number} refused as {reason}: not kept, counted in the ledger.", "dim")
    share = f"{report.junk} of {report.total} memories are of no use ({report.junk_share:.1%})."
    show.line(share, "bold")


def _show_others(show: Presenter, incoming: Incoming | None) -> None:
    others = [each for each in incoming.unusable if each.reason == ANOTHER_USER] if incoming else []
    if others:
        number = count(len(others), "memory", "memories")
        show.line(f"{number} of other users not counted; choose a user with --user.", "warning")


def _show_fix(show: Presenter, mended: Fix) -> None:
    for decision in mended.decisions:
        show.line(decision_line(decision))
    if mended.entry_id:
        undo = f"memory-graph memories undo {short_name(mended.entry_id)}"
        show.line(f"Mended {len(mended.decisions)}. Undo with: {undo}", "good")
    elif mended.decisions:
        show.line("Nothing was changed; use `--fix --apply` to make the changes.", "dim")
    else:
        show.line("There is nothing to mend.")


_AT_ONCE = 200
"""Users that move together: each group waits once for all workers."""


def define_shards(command: ArgumentParser) -> None:
    """Add the actions of `shards`."""
    actions = add_actions(command)
    set_run(add_parser(actions, "list", "count the users on each shard", ""), run_list)
    example = "--user ana --to b"
    move = add_action(actions, "move", run_move, "move a user, who may go on talking", example)
    move.add_argument("--to", required=True, metavar="NAME", help="the shard to move to")
    everybody = add_parser(actions, "spread", "move users until all shards have their share", "")
    set_run(everybody, run_spread)


async def run_list(args: Namespace, show: Presenter) -> int:
    """Print how many users each shard holds."""
    async with _sharded(args) as store:
        held = await users_of(store)
        counts = Counter(name for names in held.values() for name in names)
    if show.as_json:
        show.data({name: counts[name] for name in store.shards})
        return 0
    for name in store.shards:
        note = "" if name in store.homes else " (takes moved users only)"
        show.line(f"{name}: {counts[name]} users{note}")
    return 0


async def run_move(args: Namespace, show: Presenter) -> int:
    """Move one user."""
    async with _sharded(args) as store:
        moved = await move_users(store, {user_label(args.user): args.to})
    show.line(f"Moved to {args.to}." if moved else f"Already on {args.to}.")
    return 0


async def run_spread(args: Namespace, show: Presenter) -> int:
    """Move users in groups, so that an interrupted run has finished the ones before."""
    moved = 0
    async with _sharded(args) as store:
        held = list((await users_of(store)).items())
        for start in range(0, len(held), _AT_ONCE):
            moved += await spread(store, dict(held[start : start + _AT_ONCE]))
            show.line(f"{min(start + _AT_ONCE, len(held))} of {len(held)} users looked at.")
    show.line(f"Moved {moved} users.")
    return 0


@asynccontextmanager
async def _sharded(args: Namespace) -> AsyncIterator[ShardedStore]:
    async with open_store(args) as opened:
        if not isinstance(opened.store, ShardedStore):
            raise ConfigurationError(
                "This store has no shards. Name them as `sharded:a=postgresql://… b=postgresql://…`."
            )
        yield opened.store


COMMANDS: Group = {"audit": define_audit, "shards": define_shards}
