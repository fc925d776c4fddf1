"""`notes export|import`: episodes and patterns as Markdown."""

import asyncio
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path

from memory_graph import clock
from memory_graph.cli.importing import plan_and_apply
from memory_graph.cli.opening import open_user
from memory_graph.cli.presenter import Presenter
from memory_graph.cli.telling import count
from memory_graph.errors import ConfigurationError
from memory_graph.steps.notes import export_notes, read_notes


async def run_export(args: Namespace, show: Presenter) -> int:
    """Write every episode and pattern to a folder."""
    async with open_user(args) as memory:
        notes = await export_notes(memory)
    await asyncio.to_thread(_write, Path(args.folder), notes)
    if show.as_json:
        show.data({"folder": args.folder, "notes": len(notes)})
    else:
        show.line(f"Wrote {count(len(notes), 'note')} to {args.folder}.")
    return 0


async def run_import(args: Namespace, show: Presenter) -> int:
    """Read the notes of a folder; what people edited in them counts."""
    files = await asyncio.to_thread(_read, Path(args.folder))
    async with open_user(args) as memory:
        incoming = read_notes(files, clock.utc_now())
        return await plan_and_apply(memory, incoming, show, dry_run=args.dry_run, overwrite=True)


def _write(folder: Path, notes: Mapping[str, str]) -> None:
    for name, text in notes.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")


def _read(folder: Path) -> dict[str, str]:
    if not folder.is_dir():
        raise ConfigurationError(f"{folder} is no folder of notes.")
    return {
        str(file.relative_to(folder)): file.read_bytes().decode("utf-8", "replace")
        for file in sorted(folder.rglob("*.md"))
    }
