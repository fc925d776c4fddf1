"""`notes` and `migrate`: export and import Markdown notes, and import from other systems."""

import asyncio
import json
from argparse import Namespace
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar, get_args

from memory_graph import clock
from memory_graph.cli.commands import APPLY, FAILED, Group, arg, flag
from memory_graph.cli.open import context_of, open_store, open_user, read_input
from memory_graph.cli.output import Presenter, count, first_line
from memory_graph.curation.lookup import short_name
from memory_graph.curation.misfiled import find_misfiled, move_misfiled
from memory_graph.errors import ConfigurationError
from memory_graph.memory import new_change
from memory_graph.store.scope import UserMemory
from memory_graph.store.values import clean_text
from memory_graph.tools._calls import call_tool
from memory_graph.tools.recording import store_episode
from memory_graph.transfer import imports, notes
from memory_graph.transfer.imports import Incoming, refused
from memory_graph.transfer.other_systems import read_export, read_folder, read_langmem
from memory_graph.transfer.session_log import read_session_log

T = TypeVar("T")
COMMANDS = Group()
FOLDER = arg("folder", metavar="DIR", help="folder of the notes")


@COMMANDS.command(
    "notes export",
    FOLDER,
    flag("--overwrite", "also overwrite edited notes (default: ask)"),
    example="notes",
)
async def run_export(args: Namespace, show: Presenter) -> int:
    """Write each episode and pattern as a note; edited notes are kept."""
    folder = Path(args.folder)
    async with open_user(args) as memory:
        written = await notes.export_notes(memory, clock.utc_now())
    files = {name: folder / name for name in written if (folder / name).is_file()}
    existing = {name: await asyncio.to_thread(_read_note, file) for name, file in files.items()}
    edited = [] if args.overwrite else notes.unsaved_edits(existing, written, clock.utc_now())
    if edited and show.is_interactive and not show.as_json:
        listed = ", ".join(edited)
        edited = [] if show.confirm(f"Overwrite what was edited in {listed}?") else edited
    written = {name: text for name, text in written.items() if name not in edited}
    await asyncio.to_thread(_write_notes, folder, written)
    value = {"folder": args.folder, "notes": len(written), "kept": edited}
    show.answer(value, f"Wrote {count(len(written), 'note')} to {args.folder}.")
    for name in edited if not show.as_json else ():
        show.problem(f"{name} was edited and is kept: import it, or use --overwrite.")
    return FAILED if edited else 0


@COMMANDS.command(
    "notes import",
    FOLDER,
    flag("--dry-run", "only show the changes"),
    example="notes",
    creates=True,
)
async def run_import(args: Namespace, show: Presenter) -> int:
    """Read the notes of a folder, with the edits that people made."""
    files, unreadable = await asyncio.to_thread(_read_all, Path(args.folder), "*.md", _read_note)
    async with open_user(args) as memory:
        known = await notes.known_titles(memory)
        incoming = notes.read_notes(files, clock.utc_now(), known) + unreadable
        return await _import(memory, incoming, show, apply=not args.dry_run, overwrite=True)


def _write_notes(folder: Path, written: Mapping[str, str]) -> None:
    for name, text in written.items():
        file = folder / name
        if not file.resolve().is_relative_to(folder.resolve()):
            raise ConfigurationError(f"{file} is outside of {folder}; nothing was written there.")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")


@COMMANDS.command(
    "migrate ai-agents",
    arg("path", metavar="PATH", help="a JSON file, or a folder of them"),
    arg("--project", default="", metavar="NAME", help="the project they belong to"),
    APPLY,
    example="sessions --user ana --apply",
    creates=True,
)
async def run_ai_agents(args: Namespace, show: Presenter) -> int:
    """Import episode and causal-graph files."""
    files, unreadable = await asyncio.to_thread(_read_all, Path(args.path), "*.json", read_json)
    incoming = read_folder(files, clock.utc_now(), args.project) + unreadable
    async with open_user(args) as memory:
        return await _import(memory, incoming, show, apply=args.apply)


@COMMANDS.command(
    "migrate langmem",
    arg("namespace", metavar="NAMESPACE", help="labels separated by /"),
    APPLY,
    example="memories/ana --user ana --apply",
)
async def run_langmem(args: Namespace, show: Presenter) -> int:
    """Import the memories that LangMem keeps in the same store."""
    namespace = tuple(label for label in args.namespace.split("/") if label)
    async with open_user(args) as memory:
        incoming = await read_langmem(memory, namespace)
        if incoming == Incoming():
            raise ConfigurationError(f"Nothing is stored under {args.namespace}; check --store.")
        return await _import(memory, incoming, show, apply=args.apply)


@COMMANDS.command(
    "migrate mem0",
    arg("file", metavar="FILE", help="the export, as JSON"),
    APPLY,
    example="export.json --user ana --apply",
    creates=True,
)
async def run_mem0(args: Namespace, show: Presenter) -> int:
    """Import a mem0 export of this user."""
    export = await asyncio.to_thread(read_json, Path(args.file))
    async with open_user(args) as memory:
        incoming = read_export(export, args.user, clock.utc_now())
        return await _import(memory, incoming, show, apply=args.apply)


@COMMANDS.command(
    "migrate session-log",
    arg("file", metavar="FILE", help="the log, as text or JSON; `-` reads stdin"),
    arg("--project", metavar="NAME", help="the project it belongs to"),
    example="session.md --user ana",
    creates=True,
)
async def run_session_log(args: Namespace, show: Presenter) -> int:
    """Keep the log of a session as an episode; a log that comes again replaces it."""
    log = (await asyncio.to_thread(read_input, args.file)).decode("utf-8", "replace")
    context = context_of(args).model_copy(update={"project": args.project})
    async with open_store(args) as backend:
        told = await call_tool(store_episode, read_session_log(log), backend.store, context)
    value = {"status": told.status, "answer": told.content}
    return show.answer(value, str(told.content), FAILED if told.status == "error" else 0)


def _read_all(
    folder: Path, pattern: str, read: Callable[[Path], T]
) -> tuple[dict[str, T], Incoming]:
    """Return the files of a folder by name, or one file; unreadable files are reported."""
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
    """Return what a JSON file holds."""
    try:
        return _storable(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ConfigurationError(first_line(error)) from error
    except (ValueError, RecursionError) as error:
        problem = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise ConfigurationError(f"{path} cannot be read as JSON: {problem}") from error


def _storable(value: object) -> object:
    """Return a JSON value without characters that stores refuse."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [_storable(each) for each in value]
    if isinstance(value, dict):
        return {clean_text(name): _storable(each) for name, each in value.items()}
    return value


async def _import(
    memory: UserMemory,
    incoming: Incoming,
    show: Presenter,
    *,
    apply: bool,
    overwrite: bool = False,
) -> int:
    """Import records, or only show the changes; fail if any could not be read."""
    change = new_change("import")
    taken = await imports.take_in(memory, incoming, change, apply=apply, overwrite=overwrite)
    counts = {fate: taken.fates[fate] for fate in get_args(imports.Fate)}
    done = "Imported" if apply else "Would import"
    text = (
        f"{done}: {counts['create']} new, {counts['update']} changed; "
        f"{counts['keep']} already known."
    )
    if counts["deleted"]:
        text += f"\n{counts['deleted']} were deleted since they were written; they stay deleted."
    show.answer({**counts, "unusable": taken.unusable, "dry_run": not apply}, text)
    for each in taken.unusable if not show.as_json else ():
        show.problem(f"{each.where} {each.reason}")
    return FAILED if taken.unusable else 0


@COMMANDS.command("migrate misfiled", APPLY, example="--apply")
async def run_misfiled(args: Namespace, show: Presenter) -> None:
    """Move episodes that should be facts."""
    undo, value, lines = "", [], []
    async with open_user(args) as memory:
        found = await find_misfiled(memory)
        if args.apply:
            entries = await move_misfiled(memory, found, clock.utc_now())
            undo = ", ".join(short_name(entry.id) for entry in entries)
    for episode, candidates in found:
        facts = [fact.statement for fact in candidates]
        value.append({"id": episode.id, "facts": facts})
        lines.append(f"{episode.id} is a fact: {' '.join(facts)}")
    number = count(len(found), "episode")
    hint = f"Misfiled: {number}.{' Move with --apply.' if found else ''}"
    lines.append(f"Moved {number}. Undo with: {undo}." if undo else hint)
    show.answer(value, "\n".join(lines))
