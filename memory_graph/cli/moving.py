"""`memories export|import`: memory as JSON Lines."""

import asyncio
import sys
from argparse import Namespace
from pathlib import Path

from memory_graph import clock
from memory_graph.cli.exit_codes import FAILED
from memory_graph.cli.opening import open_user
from memory_graph.cli.presenter import Presenter
from memory_graph.cli.telling import count
from memory_graph.steps.transfer import Imported, export_lines, import_lines


async def export_memories(args: Namespace, show: Presenter) -> int:
    """Write every fact and episode, one a line, to a file or to standard output."""
    async with open_user(args) as memory:
        lines = await export_lines(memory)
    text = "".join(f"{line}\n" for line in lines)
    if args.file is None:
        show.piece(text)
        return 0
    await asyncio.to_thread(Path(args.file).write_text, text, encoding="utf-8")
    if show.as_json:
        show.data({"file": args.file, "memories": len(lines)})
    else:
        show.line(f"Wrote {count(len(lines), 'memory', 'memories')} to {args.file}.")
    return 0


async def import_memories(args: Namespace, show: Presenter) -> int:
    """Save the memories in a file; fail if any line of it is none, after saving the rest."""
    text = await asyncio.to_thread(_read, args.file)
    async with open_user(args) as memory:
        imported = await import_lines(memory, text.splitlines(), clock.utc_now())
    if show.as_json:
        bad = [{"line": each.number, "reason": each.reason} for each in imported.bad]
        show.data({"lines": imported.fates, "bad": bad})
    else:
        _show_imported(show, imported)
    return FAILED if imported.bad else 0


def _read(file: str) -> str:
    return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")


def _show_imported(show: Presenter, imported: Imported) -> None:
    told = ", ".join(f"{number} {fate}" for fate, number in imported.fates.items())
    show.line(f"Imported: {told or 'nothing'}.")
    for each in imported.bad:
        show.problem(f"line {each.number}: {each.reason}")
    if imported.bad:
        show.problem(f"{count(len(imported.bad), 'line')} could not be read.")
