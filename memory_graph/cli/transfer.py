"""`notes`, `migrate`, `validate`, `reembed`, `calibrate`: memory in and out, and its vectors."""

import asyncio
import json
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from uuid import uuid4

from memory_graph import clock
from memory_graph.cli.open import open_store, open_user, settings_of, zone_of
from memory_graph.cli.output import Presenter, count
from memory_graph.cli.parser import (
    FAILED,
    Actions,
    Group,
    Run,
    add_action,
    add_actions,
    add_user,
    creates_a_store,
    set_run,
)
from memory_graph.curation.lookup import short_name
from memory_graph.curation.misfiled import Misfiled, find_misfiled, move_misfiled
from memory_graph.curation.validate import ValidationReport, validate_memory
from memory_graph.embedding import calibrate, configured_embedder
from memory_graph.errors import ConfigurationError
from memory_graph.records import Change, Episode, LedgerEntry
from memory_graph.store.configured import record_embedder
from memory_graph.store.gateway import Gateway, open_gateway
from memory_graph.store.reembed import Progress, reembed
from memory_graph.store.scope import UserMemory
from memory_graph.transfer.imports import (
    admit_statements,
    apply_import,
    plan_import,
    read_langmem,
)
from memory_graph.transfer.incoming import Incoming, Unusable, refused
from memory_graph.transfer.notes import export_notes, known_titles, read_notes, unsaved_edits
from memory_graph.transfer.other_systems import read_export, read_folder

_PATIENT_S = 120.0
"""A batch is embedded inside the write; nobody waits for a reply here."""


def define_notes(command: ArgumentParser) -> None:
    """Add the actions of `notes`."""
    actions = add_actions(command)
    exported = add_action(
        actions, "export", run_export, "write each episode and pattern as a note", "notes"
    )
    exported.add_argument("folder", metavar="DIR", help="folder of the notes")
    exported.add_argument(
        "--overwrite", action="store_true", help="also notes that somebody edited (default: ask)"
    )
    imported = add_action(actions, "import", run_import, "read notes, edits included", "notes")
    creates_a_store(imported)
    imported.add_argument("folder", metavar="DIR", help="folder of the notes")
    imported.add_argument("--dry-run", action="store_true", help="only show the changes")


def define_migrate(command: ArgumentParser) -> None:
    """Add the sources of `migrate`; importing one again changes nothing."""
    actions = add_actions(command)
    agents = _add_source(
        actions, "ai-agents", run_ai_agents, "import episode and causal-graph files", "sessions"
    )
    creates_a_store(agents)
    agents.add_argument("path", metavar="PATH", help="a JSON file, or a folder of them")
    agents.add_argument("--project", default="", metavar="NAME", help="the project it is of")
    langmem = _add_source(
        actions, "langmem", run_langmem, "import LangMem memories of this store", "memories/ana"
    )
    langmem.add_argument("namespace", metavar="NAMESPACE", help="labels separated by /")
    mem0 = _add_source(actions, "mem0", run_mem0, "import a mem0 export", "export.json")
    creates_a_store(mem0)
    mem0.add_argument("file", metavar="FILE", help="the export, as JSON")
    misfiled = add_action(
        actions, "misfiled", run_misfiled, "convert misfiled episodes and facts", "--apply"
    )
    _add_apply(misfiled)


def define_validate(command: ArgumentParser) -> None:
    """Add the arguments of `validate`."""
    set_run(command, run_validate)
    add_user(command)


def define_reembed(command: ArgumentParser) -> None:
    """Add the arguments of `reembed`."""
    command.add_argument(
        "--missing",
        action="store_true",
        help="only what was saved without a vector while the embedder was away",
    )
    set_run(command, run_reembed)


def define_calibrate(command: ArgumentParser) -> None:
    """Add the arguments of `calibrate`."""
    set_run(command, run_calibrate)


def _add_source(
    actions: Actions, name: str, run: Run, summary: str, example: str
) -> ArgumentParser:
    action = add_action(actions, name, run, summary, f"{example} --user ana --apply")
    _add_apply(action)
    return action


def _add_apply(action: ArgumentParser) -> None:
    action.add_argument("--apply", action="store_true", help="do it (default: only show it)")


async def run_export(args: Namespace, show: Presenter) -> int:
    """Write every episode and pattern to a folder; a note that somebody edited stays."""
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


async def run_import(args: Namespace, show: Presenter) -> int:
    """Read the notes of a folder, including what people edited in them."""
    files, unreadable = await asyncio.to_thread(_read_notes, Path(args.folder))
    async with open_user(args) as memory:
        incoming = read_notes(files, clock.utc_now(), await known_titles(memory)) + unreadable
        return await _plan_and_apply(memory, incoming, show, dry_run=args.dry_run, overwrite=True)


def _existing(folder: Path, notes: Mapping[str, str]) -> dict[str, str]:
    """Return what stands where notes are to be written."""
    found = {name: folder / name for name in notes if (folder / name).is_file()}
    return {name: file.read_bytes().decode("utf-8", "replace") for name, file in found.items()}


def _write_notes(folder: Path, notes: Mapping[str, str]) -> None:
    for name, text in notes.items():
        file = folder / name
        if not file.resolve().is_relative_to(folder.resolve()):
            raise ConfigurationError(f"{file} leads out of {folder}; nothing is written there.")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")


def _read_notes(folder: Path) -> tuple[dict[str, str], Incoming]:
    """Return the notes of a folder; a file that cannot be read costs itself."""
    if not folder.is_dir():
        raise ConfigurationError(f"{folder} is not a folder.")
    files: dict[str, str] = {}
    unreadable = Incoming()
    for file in sorted(folder.rglob("*.md")):
        name = str(file.relative_to(folder))
        try:
            files[name] = file.read_bytes().decode("utf-8", "replace")
        except OSError as error:
            unreadable += refused(name, f"cannot be read ({error.strerror})")
    return files, unreadable


async def run_ai_agents(args: Namespace, show: Presenter) -> int:
    """Import the episodes and causal graphs of a folder."""
    files, unreadable = await asyncio.to_thread(_read_all, Path(args.path))
    return await _import(args, show, read_folder(files, clock.utc_now(), args.project) + unreadable)


async def run_mem0(args: Namespace, show: Presenter) -> int:
    """Import a mem0 export of this user."""
    export = await asyncio.to_thread(_read_json, Path(args.file))
    return await _import(args, show, read_export(export, args.user, clock.utc_now()))


async def run_langmem(args: Namespace, show: Presenter) -> int:
    """Import the memories that LangMem keeps in the same store."""
    namespace = tuple(label for label in args.namespace.split("/") if label)
    async with open_user(args) as memory:
        incoming = await read_langmem(memory, namespace)
        if incoming == Incoming():
            raise ConfigurationError(f"Nothing is stored under {args.namespace}; check --store.")
        return await _plan_and_apply(
            memory, incoming, show, dry_run=not args.apply, overwrite=False
        )


async def _import(args: Namespace, show: Presenter, incoming: Incoming) -> int:
    async with open_user(args) as memory:
        return await _plan_and_apply(
            memory, incoming, show, dry_run=not args.apply, overwrite=False
        )


def _read_all(path: Path) -> tuple[dict[str, object], Incoming]:
    """Return the JSON files of a folder; one of several that cannot be read costs itself."""
    if not path.is_dir():
        return {path.name: _read_json(path)}, Incoming()
    files: dict[str, object] = {}
    unreadable = Incoming()
    for file in sorted(path.rglob("*.json")):
        name = str(file.relative_to(path))
        try:
            files[name] = _read_json(file)
        except ConfigurationError as error:
            unreadable += refused(name, f"cannot be used: {error}")
    return files, unreadable


def _read_json(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path} cannot be read as JSON: {error}") from error


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
    if show.as_json:
        listed = [{"where": each.where, "reason": each.reason} for each in unusable]
        show.data({**counts, "unusable": listed, "dry_run": dry_run})
    else:
        _show_plan(show, counts, unusable, dry_run=dry_run)
    return FAILED if unusable else 0


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


async def run_misfiled(args: Namespace, show: Presenter) -> int:
    """Show what would be moved; move it with `--apply`."""
    entries: Sequence[LedgerEntry] = ()
    async with open_user(args) as memory:
        found = await find_misfiled(memory)
        if args.apply:
            now = clock.utc_now()
            entries = await move_misfiled(memory, found, zone=zone_of(args), now=now)
    if show.as_json:
        show.data([_misfiled_as_json(each) for each in found])
        return 0
    for each in found:
        show.line(_misfiled_line(each))
    if entries:
        undo = ", ".join(short_name(entry.id) for entry in entries)
        show.line(f"Moved {count(len(found), 'memory', 'memories')}. Undo with: {undo}.", "good")
    else:
        advice = " Move with --apply." if found else ""
        show.line(f"Misfiled: {count(len(found), 'memory', 'memories')}.{advice}")
    return 0


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


async def run_validate(args: Namespace, show: Presenter) -> int:
    """Print what is wrong with a user's memory; fail if anything is."""
    async with open_user(args) as memory:
        report = await validate_memory(memory)
    if show.as_json:
        show.data(_report_as_json(report))
    else:
        _show_report(show, report)
    return 0 if report.is_sound else FAILED


def _show_report(show: Presenter, report: ValidationReport) -> None:
    rows = [(kind, str(each.total), str(each.valid)) for kind, each in report.totals.items()]
    show.table("Records", ("kind", "total", "readable"), rows)
    problems = [(each.kind, each.record_id, each.reason, each.detail) for each in report.problems]
    show.table("Problems", ("kind", "id", "reason", "detail"), problems)
    state = "No problems" if report.is_sound else "Problems found"
    show.line(f"{state}; {count(report.links, 'relation')} checked.")


def _report_as_json(report: ValidationReport) -> dict[str, object]:
    return {
        "sound": report.is_sound,
        "totals": {
            kind: {"total": each.total, "valid": each.valid} for kind, each in report.totals.items()
        },
        "relations": report.links,
        "problems": [
            {"kind": p.kind, "id": p.record_id, "reason": p.reason, "detail": p.detail}
            for p in report.problems
        ],
    }


async def run_reembed(args: Namespace, show: Presenter) -> int:
    """Embed every record of every user again, and record the embedder in the store."""
    settings = settings_of(args)
    embedder = configured_embedder(settings)
    progress = Progress(0, 0, 0)
    async with open_store(args, check_embedder=False) as backend:
        gateway = Gateway(backend.store, settings.store_read_timeout_s, _PATIENT_S, _PATIENT_S)
        with show.progress("Embedding") as update:
            async for progress in reembed(
                gateway, embedder, clock.utc_now(), only_missing=args.missing
            ):
                update(progress.namespaces_done, progress.namespaces)
    name = f"{embedder.name}/{embedder.dims}"
    if show.as_json:
        show.data({"embedder": name, "records": progress.records})
    else:
        show.line(f"Embedded {progress.records} records with {name}.", "good")
    return 0


async def run_calibrate(args: Namespace, show: Presenter) -> int:
    """Measure how the embedder's cosines read, and keep that with the store's mark."""
    embedder = configured_embedder(settings_of(args))
    measured = await calibrate(embedder)
    async with open_store(args) as backend:
        embedder.scale = measured.scale
        await record_embedder(open_gateway(backend.store, settings_of(args)), embedder)
    scale = measured.scale
    if show.as_json:
        anchors = {"unrelated": scale.unrelated, "related": scale.related, "same": scale.same}
        show.data({"embedder": embedder.name, "separation": measured.separation, **anchors})
        return 0
    show.line(f"Measured {embedder.name} on {measured.pairs} pairs of statements.")
    show.line(
        f"Cosines read: unrelated up to {scale.unrelated:.2f}, the same words about another fact "
        f"{scale.related:.2f}, a paraphrase {scale.same:.2f}."
    )
    share = f"{measured.separation:.0%}"
    show.line(f"It puts a paraphrase before the same words about another fact {share} of times.")
    show.line("Kept with the store's mark.", "good")
    return 0


COMMANDS: Group = {
    "calibrate": define_calibrate,
    "migrate": define_migrate,
    "notes": define_notes,
    "reembed": define_reembed,
    "validate": define_validate,
}
