"""`notes` and `migrate`: export and import Markdown notes, and import from other systems."""

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar, get_args

import click

from memory_graph import clock
from memory_graph.cli.output import Presenter, count, first_line
from memory_graph.cli.session import FAILED, Session, apply_option, for_user, read_input
from memory_graph.context import Context
from memory_graph.curation import read_again as again
from memory_graph.curation.lookup import short_name
from memory_graph.curation.misfiled import find_misfiled, move_misfiled
from memory_graph.curation.own_words import find_own_words, move_own_words
from memory_graph.errors import ConfigurationError
from memory_graph.llm.models import models_for
from memory_graph.memory import new_change
from memory_graph.store.scope import UserMemory
from memory_graph.store.values import clean_text
from memory_graph.tools._calls import call_tool
from memory_graph.tools.recording import store_episode
from memory_graph.transfer import imports
from memory_graph.transfer import notes as markdown
from memory_graph.transfer.files import read_file, write_file
from memory_graph.transfer.imports import Incoming, refused
from memory_graph.transfer.other_systems import read_export, read_folder, read_langmem
from memory_graph.transfer.session_log import read_session_log

T = TypeVar("T")
folder_argument = click.argument(
    "folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False)
)


@click.group()
def notes() -> None:
    """Export and import Markdown notes."""


@notes.command("export", epilog="example: memory-graph notes export notes")
@folder_argument
@click.option("--overwrite", is_flag=True, help="also overwrite edited notes (default: ask)")
@for_user
async def export_notes(session: Session, folder: Path, overwrite: bool) -> int:
    """Write each episode and pattern as a note; edited notes are kept."""
    show = session.show
    async with session.open_user() as memory:
        written = await markdown.export_notes(memory, clock.utc_now())
    files = {name: folder / name for name in written if (folder / name).is_file()}
    existing = {name: await asyncio.to_thread(_read_note, file) for name, file in files.items()}
    edited = [] if overwrite else markdown.unsaved_edits(existing, written, clock.utc_now())
    if edited and show.is_interactive and not show.as_json:
        listed = ", ".join(edited)
        edited = [] if click.confirm(f"Overwrite what was edited in {listed}?") else edited
    written = {name: text for name, text in written.items() if name not in edited}
    await asyncio.to_thread(_write_notes, folder, written)
    value = {"folder": str(folder), "notes": len(written), "kept": edited}
    show.answer(value, f"Wrote {count(len(written), 'note')} to {folder}.")
    for name in edited if not show.as_json else ():
        show.problem(f"{name} was edited and is kept: import it, or use --overwrite.")
    return FAILED if edited else 0


@notes.command("import", epilog="example: memory-graph notes import notes")
@folder_argument
@click.option("--dry-run", is_flag=True, help="only show the changes")
@for_user
async def import_notes(session: Session, folder: Path, dry_run: bool) -> int:
    """Read the notes of a folder, with the edits that people made."""
    files, unreadable = await asyncio.to_thread(_read_all, folder, "*.md", _read_note)
    async with session.open_user(creates=True) as memory:
        known = await markdown.known_titles(memory)
        incoming = markdown.read_notes(files, clock.utc_now(), known) + unreadable
        return await _import(memory, incoming, session.show, apply=not dry_run, overwrite=True)


def _write_notes(folder: Path, written: Mapping[str, str]) -> None:
    for name, text in written.items():
        file = folder / name
        if not file.resolve().is_relative_to(folder.resolve()):
            raise ConfigurationError(f"{file} is outside of {folder}; nothing was written there.")
        file.parent.mkdir(parents=True, exist_ok=True)
        write_file(file, text)


@click.group()
def migrate() -> None:
    """Import memory from other systems."""


@migrate.command(epilog="example: memory-graph migrate ai-agents sessions --user ana --apply")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--project", default="", metavar="NAME", help="the project they belong to")
@apply_option
@for_user
async def ai_agents(session: Session, path: Path, project: str, apply: bool) -> int:
    """Import episode and causal-graph files: a JSON file, or a folder of them."""
    files, unreadable = await asyncio.to_thread(_read_all, path, "*.json", read_json)
    incoming = read_folder(files, clock.utc_now(), project) + unreadable
    async with session.open_user(creates=True) as memory:
        return await _import(memory, incoming, session.show, apply=apply)


@migrate.command(epilog="example: memory-graph migrate langmem memories/ana --user ana --apply")
@click.argument("namespace")
@apply_option
@for_user
async def langmem(session: Session, namespace: str, apply: bool) -> int:
    """Import the memories that LangMem keeps in the same store, under `labels/separated/so`."""
    labels = tuple(label for label in namespace.split("/") if label)
    async with session.open_user() as memory:
        incoming = await read_langmem(memory, labels)
        if incoming == Incoming():
            raise ConfigurationError(f"Nothing is stored under {namespace}; check --store.")
        return await _import(memory, incoming, session.show, apply=apply)


@migrate.command(epilog="example: memory-graph migrate mem0 export.json --user ana --apply")
@click.argument("file", type=click.Path(path_type=Path))
@apply_option
@for_user
async def mem0(session: Session, file: Path, apply: bool) -> int:
    """Import a mem0 export of this user, as JSON."""
    export = await asyncio.to_thread(read_json, file)
    async with session.open_user(creates=True) as memory:
        incoming = read_export(export, session.user, clock.utc_now())
        return await _import(memory, incoming, session.show, apply=apply)


@migrate.command(epilog="example: memory-graph migrate session-log session.md --user ana")
@click.argument("file")
@click.option("--project", metavar="NAME", help="the project it belongs to")
@for_user
async def session_log(session: Session, file: str, project: str | None) -> int:
    """Keep the log of a session as an episode; a log that comes again replaces it.

    The log is text or JSON; `-` reads stdin.
    """
    log = (await asyncio.to_thread(read_input, file)).decode("utf-8", "replace")
    context = session.context(project=project)
    async with session.open_store(creates=True) as backend:
        answer = await call_tool(store_episode, read_session_log(log), backend.store, context)
    value = {"status": answer.status, "answer": answer.content}
    return session.show.answer(
        value, str(answer.content), FAILED if answer.status == "error" else 0
    )


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
    return read_file(file).decode("utf-8", "replace")


def read_json(path: Path) -> object:
    """Return what a JSON file holds."""
    try:
        return _storable(json.loads(read_file(path).decode("utf-8")))
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


@migrate.command(epilog="example: memory-graph migrate misfiled --apply")
@apply_option
@for_user
async def misfiled(session: Session, apply: bool) -> None:
    """Move episodes that should be facts."""
    undo, value, lines = "", [], []
    async with session.open_user() as memory:
        found = await find_misfiled(memory)
        if apply:
            entries = await move_misfiled(memory, found, clock.utc_now())
            undo = ", ".join(short_name(entry.id) for entry in entries)
    for episode, candidates in found:
        facts = [fact.statement for fact in candidates]
        value.append({"id": episode.id, "facts": facts})
        lines.append(f"{episode.id} is a fact: {' '.join(facts)}")
    number = count(len(found), "episode")
    hint = f"Misfiled: {number}.{' Move with --apply.' if found else ''}"
    lines.append(f"Moved {number}. Undo with: {undo}." if undo else hint)
    session.show.answer(value, "\n".join(lines))


@migrate.command("own-words", epilog="example: memory-graph migrate own-words --apply")
@apply_option
@for_user
async def own_words(session: Session, apply: bool) -> None:
    """Move facts that older versions kept in the user's own words to what was said."""
    undo = ""
    async with session.open_user() as memory:
        found = await find_own_words(memory, clock.utc_now())
        if apply and found:
            undo = short_name((await move_own_words(memory, found, clock.utc_now())).id)
    value = [{"id": each.fact.id, "said": each.fact.statement} for each in found]
    lines = [f"{each.fact.id} is a quotation: “{each.fact.statement}”" for each in found]
    number = count(len(found), "fact")
    hint = f"In the user's own words: {number}.{' Move with --apply.' if found else ''}"
    lines.append(f"Moved {number}. Undo with: {undo}." if undo else hint)
    session.show.answer(value, "\n".join(lines))


@migrate.command("read-again", epilog="example: memory-graph migrate read-again --apply")
@click.option("--most", type=click.IntRange(1), default=1000, help="messages to read at most")
@apply_option
@for_user
async def read_again(session: Session, most: int, apply: bool) -> int:
    """Read with the model what only rules have read; says first what it would cost."""
    model = models_for(Context()).extraction
    if model is None:
        session.show.problem("No model is set: MEMORY_GRAPH_MODEL names one.")
        return FAILED
    changed = 0
    async with session.open_user() as memory:
        turns = (await again.find_read_by_rules(memory))[:most]
        cost = again.cost_of(turns, model)
        for turn in turns if apply else ():
            decisions = await again.read_again(memory, turn, model, Context())
            changed += sum(each.after is not None for each in decisions)
    price = "of unknown price" if cost.usd is None else f"about {cost.usd:.4f} USD"
    tokens = f"{cost.input_tokens} + {cost.output_tokens} tokens"
    text = f"{count(cost.messages, 'message')} to read: about {tokens}, {price}."
    done = f" Read, and changed {count(changed, 'fact')}." if apply else " Read them with --apply."
    value = {**cost._asdict(), "changed": changed, "dry_run": not apply}
    session.show.answer(value, text + (done if turns else ""))
    return 0
