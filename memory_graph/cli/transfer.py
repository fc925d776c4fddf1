"""`notes` and `migrate`: memory as Markdown notes, and memory from other systems."""

import asyncio
import json
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

from memory_graph import clock
from memory_graph.cli.commands import FAILED, Group, arg, flag
from memory_graph.cli.open import open_user, zone_of
from memory_graph.cli.output import Presenter, count
from memory_graph.curation.lookup import short_name
from memory_graph.curation.misfiled import Misfiled, find_misfiled, move_misfiled
from memory_graph.errors import ConfigurationError
from memory_graph.records import Change, Episode, LedgerEntry
from memory_graph.store.scope import UserMemory
from memory_graph.store.values import clean_text
from memory_graph.transfer.imports import (
    admit_statements,
    apply_import,
    plan_import,
    read_langmem,
)
from memory_graph.transfer.incoming import Incoming, Unusable, refused
from memory_graph.transfer.notes import export_notes, known_titles, read_notes, unsaved_edits
from memory_graph.transfer.other_systems import read_export, read_folder

T = TypeVar("T")
COMMANDS = Group()
FOLDER = arg("folder", metavar="DIR", help="folder of the notes")
APPLY = flag("--apply", "do it (default: only show it)")


@COMMANDS.command(
    "notes export",
    "notes",
    FOLDER,
    flag("--overwrite", "also notes that somebody edited (default: ask)"),
)
async def run_export(args: Namespace, show: Presenter) -> int:
    """Write each episode and pattern as a note; one that somebody edited stays."""
    folder = Path(args.folder)
    async with open_user(args) as memory:
        notes = await export_notes(memory, clock.utc_now())
    existing = await asyncio.to_thread(_existing, folder, notes)
    edited = [] if args.overwrite else unsaved_edits(existing, notes, clock.utc_now())
    if edited and show.is_interactive and not show.as_json:
        listed = ", ".join(edited)
        edited = [] if show.confirm(f"Overwrite what was edited in {listed}?") else edited
    written = {name: text for name, text in notes.items() if name not in edited}
    await asyncio.to_thread(_write_notes, folder, written)
    if show.as_json:
        show.data({"folder": args.folder, "notes": len(written), "kept": edited})
    else:
        show.line(f"Wrote {count(len(written), 'note')} to {args.folder}.")
        for name in edited:
            show.problem(f"{name} was edited and is left as it is: import it, or --overwrite.")
    return FAILED if edited else 0


@COMMANDS.command(
    "notes import", "notes", FOLDER, flag("--dry-run", "only show the changes"), creates=True
)
async def run_import(args: Namespace, show: Presenter) -> int:
    """Read the notes of a folder, including what people edited in them."""
    files, unreadable = await asyncio.to_thread(_read_all, Path(args.folder), "*.md", _read_note)
    async with open_user(args) as memory:
        incoming = read_notes(files, clock.utc_now(), await known_titles(memory)) + unreadable
        return await _plan_and_apply(memory, incoming, show, dry_run=args.dry_run, overwrite=True)


def _existing(folder: Path, notes: Mapping[str, str]) -> dict[str, str]:
    """Return what stands where notes are to be written."""
    return {name: _read_note(folder / name) for name in notes if (folder / name).is_file()}


def _write_notes(folder: Path, notes: Mapping[str, str]) -> None:
    for name, text in notes.items():
        file = folder / name
        if not file.resolve().is_relative_to(folder.resolve()):
            raise ConfigurationError(f"{file} leads out of {folder}; nothing is written there.")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")


@COMMANDS.command(
    "migrate ai-agents",
    "sessions --user ana --apply",
    arg("path", metavar="PATH", help="a JSON file, or a folder of them"),
    arg("--project", default="", metavar="NAME", help="the project it is of"),
    APPLY,
    creates=True,
)
async def run_ai_agents(args: Namespace, show: Presenter) -> int:
    """Import episode and causal-graph files."""
    files, unreadable = await asyncio.to_thread(_read_all, Path(args.path), "*.json", read_json)
    return await _import(args, show, read_folder(files, clock.utc_now(), args.project) + unreadable)


@COMMANDS.command(
    "migrate langmem",
    "memories/ana --user ana --apply",
    arg("namespace", metavar="NAMESPACE", help="labels separated by /"),
    APPLY,
)
async def run_langmem(args: Namespace, show: Presenter) -> int:
    """Import the memories that LangMem keeps in the same store."""
    namespace = tuple(label for label in args.namespace.split("/") if label)
    async with open_user(args) as memory:
        incoming = await read_langmem(memory, namespace)
    if incoming == Incoming():
        raise ConfigurationError(f"Nothing is stored under {args.namespace}; check --store.")
    return await _import(args, show, incoming)


@COMMANDS.command(
    "migrate mem0",
    "export.json --user ana --apply",
    arg("file", metavar="FILE", help="the export, as JSON"),
    APPLY,
    creates=True,
)
async def run_mem0(args: Namespace, show: Presenter) -> int:
    """Import a mem0 export of this user."""
    export = await asyncio.to_thread(read_json, Path(args.file))
    return await _import(args, show, read_export(export, args.user, clock.utc_now()))


async def _import(args: Namespace, show: Presenter, incoming: Incoming) -> int:
    async with open_user(args) as memory:
        return await _plan_and_apply(
            memory, incoming, show, dry_run=not args.apply, overwrite=False
        )


def _read_all(
    folder: Path, pattern: str, read: Callable[[Path], T]
) -> tuple[dict[str, T], Incoming]:
    """Return the files of a folder by name, or one file; of several, a bad one costs itself.

    Raises:
        ConfigurationError: If there is neither such a folder nor such a file.
    """
    if folder.is_file() and folder.match(pattern):
        return {folder.name: read(folder)}, Incoming()
    if not folder.is_dir():
        raise ConfigurationError(f"{folder} is not a folder of {pattern} files.")
    files: dict[str, T] = {}
    unreadable = Incoming()
    for file in sorted(folder.rglob(pattern)):
        name = str(file.relative_to(folder))
        try:
            files[name] = read(file)
        except ConfigurationError as error:
            unreadable += refused(name, f"cannot be used: {error}")
        except OSError as error:
            unreadable += refused(name, f"cannot be read ({error.strerror})")
    return files, unreadable


def _read_note(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "replace")


def read_json(path: Path) -> object:
    """Return what a JSON file holds.

    Raises:
        ConfigurationError: If it cannot be read, or holds no JSON.
    """
    try:
        return _storable(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path} cannot be read as JSON: {error}") from error
    except RecursionError as error:
        raise ConfigurationError(f"{path} cannot be read as JSON: it is nested too deep") from error


def _storable(value: object) -> object:
    """Return what JSON told, less characters that nothing can store."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [_storable(each) for each in value]
    if isinstance(value, dict):
        return {clean_text(name): _storable(each) for name, each in value.items()}
    return value


async def _plan_and_apply(
    memory: UserMemory, incoming: Incoming, show: Presenter, *, dry_run: bool, overwrite: bool
) -> int:
    """Import records, or only show the changes; fail if any could not be read."""
    plan = await plan_import(memory, incoming, overwrite=overwrite)
    if not dry_run:
        change = Change(id=uuid4().hex, by="import", at=clock.utc_now())
        with show.progress("Importing") as advance:
            await apply_import(memory, plan, change, advance)
    heard = await admit_statements(memory, incoming.statements, apply=not dry_run)
    unusable = [*plan.unusable, *heard.unusable]
    fates = ("create", "update", "keep", "deleted")
    counts = {fate: plan.counts[fate] + heard.fates[fate] for fate in fates}
    return show.answer(
        {**counts, "unusable": unusable, "dry_run": dry_run},
        lambda: _show_plan(show, counts, unusable, dry_run=dry_run),
        FAILED if unusable else 0,
    )


def _show_plan(
    show: Presenter, counts: Mapping[str, int], unusable: Sequence[Unusable], *, dry_run: bool
) -> None:
    done = "Would import" if dry_run else "Imported"
    show.line(
        f"{done}: {counts['create']} new, {counts['update']} changed; "
        f"{counts['keep']} already known."
    )
    if counts["deleted"]:
        show.line(f"{counts['deleted']} deleted since they were written, and left so.")
    for each in unusable:
        show.problem(f"{each.where} {each.reason}")
    if unusable:
        show.problem(f"{count(len(unusable), 'entry', 'entries')} could not be used.")


@COMMANDS.command("migrate misfiled", "--apply", APPLY)
async def run_misfiled(args: Namespace, show: Presenter) -> None:
    """Convert episodes that are facts, and facts that are episodes."""
    entries: Sequence[LedgerEntry] = ()
    async with open_user(args) as memory:
        found = await find_misfiled(memory)
        if args.apply:
            now = clock.utc_now()
            entries = await move_misfiled(memory, found, zone=zone_of(args), now=now)
    if show.as_json:
        show.data([_misfiled_as_json(each) for each in found])
        return
    for each in found:
        show.line(_misfiled_line(each))
    number = count(len(found), "memory", "memories")
    if entries:
        undo = ", ".join(short_name(entry.id) for entry in entries)
        show.line(f"Moved {number}. Undo with: {undo}.", "good")
    else:
        show.line(f"Misfiled: {number}.{' Move with --apply.' if found else ''}")


def _misfiled_as_json(misfiled: Misfiled) -> dict[str, object]:
    is_episode = isinstance(misfiled.record, Episode)
    return {
        "id": misfiled.record.id,
        "from": "episode" if is_episode else "fact",
        "to": "fact" if is_episode else "episode",
        "facts": [fact.statement for fact in misfiled.facts],
    }


def _misfiled_line(misfiled: Misfiled) -> str:
    if isinstance(misfiled.record, Episode):
        facts = " ".join(fact.statement for fact in misfiled.facts)
        return f"{misfiled.record.id} (episode) is a fact: {facts}"
    return f"{misfiled.record.id} (fact) is an episode: {misfiled.record.statement}"
