"""`audit`: what in a memory, or in another system's export, is of no use; and mending it."""

import asyncio
import json
from argparse import ArgumentParser, Namespace
from pathlib import Path

from memory_graph import clock
from memory_graph.cli.open import open_memory
from memory_graph.cli.output import Presenter, count, decision_line
from memory_graph.cli.parser import USAGE, Group, add_user, set_run
from memory_graph.curation.audit import JUNK, MEANINGS, AuditReport, Fix
from memory_graph.curation.lookup import short_name
from memory_graph.errors import ConfigurationError
from memory_graph.transfer.incoming import Incoming
from memory_graph.transfer.langmem import read_dump
from memory_graph.transfer.mem0 import ANOTHER_USER, read_export

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


COMMANDS: Group = {"audit": define_audit}
