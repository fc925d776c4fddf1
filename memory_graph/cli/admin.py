"""`audit`, `validate`, `maintain`, `reembed` and `calibrate`: maintain a store."""

import asyncio
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import orjson

from memory_graph import clock
from memory_graph.cli.commands import APPLY, FAILED, Group, arg, flag
from memory_graph.cli.open import (
    EVERYBODY,
    PAUSE,
    context_of,
    open_memory,
    open_store,
    settings_of,
    tell_of_everybody,
)
from memory_graph.cli.output import Presenter, count, decision_line, short_id
from memory_graph.cli.transfer import read_json
from memory_graph.curation.audit import JUNK, MEANINGS, AuditReport, Fix, audit_memory, fix
from memory_graph.curation.lookup import short_name
from memory_graph.curation.validate import ValidationReport, validate_memory
from memory_graph.embedding import calibrate, configured_embedder
from memory_graph.errors import ConfigurationError
from memory_graph.store.configured import record_embedder
from memory_graph.store.gateway import Gateway, open_gateway
from memory_graph.store.labels import labels_of
from memory_graph.store.reembed import Progress, reembed
from memory_graph.store.scope import UserMemory, memory_under
from memory_graph.transfer.other_systems import ANOTHER_USER, read_export

COMMANDS = Group()
_SHOWN = 20  # findings of one kind that are printed; `--json` prints all of them
_PATIENT_S = 120.0  # a batch is embedded inside the write; nobody waits for a reply here
_NOTHING_CHANGED = "Nothing was changed; use `--apply` to make the changes."


@COMMANDS.command(
    "audit",
    arg("--mem0", metavar="FILE", help="look at a mem0 export instead"),
    flag("--fix", "show the fixes"),
    flag("--apply", "with --fix: make the fixes; `undo` reverts them"),
    EVERYBODY,
    PAUSE,
)
async def run_audit(args: Namespace, show: Presenter) -> None:
    """Print entries of no use; with `--fix` also the fixes; with `--apply` make them."""
    if (args.apply and not args.fix) or (args.fix and args.mem0):
        raise ConfigurationError(
            "--apply needs --fix, and an export can only be fixed in the system it comes from."
        )
    if args.all_users:
        await _audit_all(args, show)
        return
    incoming = None
    if args.mem0:
        export = await asyncio.to_thread(read_json, Path(args.mem0))
        incoming = read_export(export, args.user, clock.utc_now())
    async with open_memory(args) as memory:
        report = await memory.aaudit(incoming)
        mended = await memory.afix(report, apply=args.apply) if args.fix else None
    if show.as_json:
        show.data({**vars(report), **(mended.as_json() if mended else {})})
        return
    _show_findings(show, report)
    unusable = incoming.unusable if incoming else ()
    if others := sum(each.reason == ANOTHER_USER for each in unusable):
        number = count(others, "memory", "memories")
        show.line(f"{number} of other users not counted; choose a user with --user.", "warning")
    if mended:
        _show_fix(show, mended)


async def _audit_all(args: Namespace, show: Presenter) -> None:
    """Write a report per user; print what all of them come to, those of earlier runs included."""
    fixed = 0

    async def told(memory: UserMemory) -> str:
        nonlocal fixed
        report = await audit_memory(memory, settings_of(args), clock.utc_now())
        mended = await fix(memory, report, clock.utc_now(), apply=args.apply) if args.fix else None
        fixed += len(mended.decisions) if mended else 0
        changes = mended.as_json() if mended else {}
        return orjson.dumps({**vars(report), **changes, "applied": args.apply}).decode() + "\n"

    done = await tell_of_everybody(args, show, told, partial(_is_audited, args))
    files = await asyncio.to_thread(lambda: sorted(Path(args.all_users).glob("*.jsonl")))
    reports = [orjson.loads(await asyncio.to_thread(file.read_bytes)) for file in files]
    counts: Counter[str] = Counter()
    for each in reports:
        counts.update(each["counts"])
    junk, total = (sum(each[name] for each in reports) for name in ("junk", "total"))
    rows = [(kind, str(number)) for kind, number in counts.items() if number]

    def say() -> None:
        show.table("Findings", ("kind", "memories"), rows)
        users = count(len(reports), "user")
        show.line(f"Found {junk} of {total} memories of {users} that are of no use.")
        _show_done(args, show, fixed, done["skipped"])

    found = {"junk": junk, "total": total, "counts": dict(counts)}
    mended = {"applied": args.apply, "fixed" if args.apply else "would_fix": fixed}
    show.answer({**done, **found, **(mended if args.fix else {})}, say)


def _is_audited(args: Namespace, file: Path) -> bool:
    """Say whether what is asked for now was done when a user's report was written."""
    if not file.exists():
        return False
    report = orjson.loads(file.read_bytes())
    return bool(report.get("applied")) if args.apply else not args.fix or "changes" in report


def _show_done(args: Namespace, show: Presenter, fixed: int, skipped: int) -> None:
    if args.apply:
        show.line(f"Fixed {fixed} in this run.")
    elif args.fix:
        show.line(f"{fixed} would be fixed; use `--fix --apply` to make the changes.", "dim")
    if skipped:
        show.line(f"Skipped {count(skipped, 'user')} whose report is in {args.all_users}.")


def _show_findings(show: Presenter, report: AuditReport) -> None:
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
        show.line(f"{number} refused as {reason}; only their number is kept.", "dim")
    share = f"{report.junk} of {report.total} memories are of no use ({report.junk_share:.1%})."
    show.line(share, "bold")


def _show_fix(show: Presenter, mended: Fix) -> None:
    for decision in mended.decisions:
        show.line(decision_line(decision))
    if mended.entry_id:
        undo = f"memory-graph memories undo {short_name(mended.entry_id)}"
        show.line(f"Fixed {len(mended.decisions)}. Undo with: {undo}", "good")
    elif mended.decisions:
        show.line("Nothing was changed; use `--fix --apply` to make the changes.", "dim")
    else:
        show.line("There is nothing to fix.")


@COMMANDS.command("validate", flag("--all-users", "all users"), PAUSE)
async def run_validate(args: Namespace, show: Presenter) -> int:
    """Print what is wrong with a user's memory; fail if anything is."""
    if args.all_users:
        return await _validate_all(args, show)
    async with open_memory(args) as memory:
        report = await memory.avalidate()
    problems = [
        {"kind": each.kind, "id": each.record_id, "reason": each.reason, "detail": each.detail}
        for each in report.problems
    ]
    value = {"sound": report.is_sound, "totals": report.totals, "relations": report.links}
    return show.answer(
        {**value, "problems": problems},
        lambda: _show_report(show, report),
        0 if report.is_sound else FAILED,
    )


async def _validate_all(args: Namespace, show: Presenter) -> int:
    reports: dict[str, ValidationReport] = {}
    async with open_store(args) as backend:
        labels = await labels_of(open_gateway(backend.store, settings_of(args)))
        with show.progress("Users") as update:
            for label in labels:
                reports[label] = await validate_memory(memory_under(label, backend.store))
                update(len(reports), len(labels))
                await asyncio.sleep(args.pause)
    problems = [
        (label, each.kind, each.record_id, each.reason, each.detail)
        for label, report in reports.items()
        for each in report.problems
    ]
    is_sound = all(each.is_sound for each in reports.values())
    columns = ("user", "kind", "id", "reason", "detail")

    def say() -> None:
        show.table("Problems", columns, problems)
        state = "No problems" if is_sound else "Problems found"
        links = sum(each.links for each in reports.values())
        records = sum(of.total for each in reports.values() for of in each.totals.values())
        show.line(
            f"{state}; {count(records, 'record')} and {count(links, 'relation')} of "
            f"{count(len(reports), 'user')} checked."
        )

    listed = [dict(zip(columns, each, strict=True)) for each in problems]
    value = {"sound": is_sound, "users": len(reports), "problems": listed}
    return show.answer(value, say, 0 if is_sound else FAILED)


def _show_report(show: Presenter, report: ValidationReport) -> None:
    rows = [(kind, str(each.total), str(each.valid)) for kind, each in report.totals.items()]
    show.table("Records", ("kind", "total", "readable"), rows)
    problems = [(each.kind, each.record_id, each.reason, each.detail) for each in report.problems]
    show.table("Problems", ("kind", "id", "reason", "detail"), problems)
    state = "No problems" if report.is_sound else "Problems found"
    show.line(f"{state}; {count(report.links, 'relation')} checked.")


@COMMANDS.command(
    "maintain",
    flag("--all-users", "all users, from where the last run ended"),
    PAUSE,
    APPLY,
)
async def run_maintain(args: Namespace, show: Presenter) -> int:
    """Print what maintenance would change; change it with `--apply`."""
    if args.all_users:
        return await _maintain_all(args, show)
    async with open_memory(args) as memory:
        decisions = await memory.amaintain(apply=args.apply)
    changes = [{"id": each.memory_id, "reason": each.reason} for each in decisions]

    def say() -> None:
        rows = [(short_id(each.memory_id or ""), each.action, each.reason) for each in decisions]
        show.table("Changes", ("id", "action", "reason"), rows)
        if decisions and not args.apply:
            show.line(_NOTHING_CHANGED, "dim")

    return show.answer({"applied": args.apply, "changes": changes}, say)


async def _maintain_all(args: Namespace, show: Presenter) -> int:
    from memory_graph.maintenance import sweep  # noqa: PLC0415 — brings a graph

    async with open_store(args) as backend:
        with show.progress("Users") as update:
            swept = await sweep(
                backend.store, context_of(args), update, apply=args.apply, pause_s=args.pause
            )

    def say() -> None:
        rows = [(reason, str(number)) for reason, number in sorted(swept["changes"].items())]
        show.table("Changes", ("reason", "memories"), rows)
        show.line("{users} users, {failed} failed, {remaining} remaining.".format_map(swept))
        if not args.apply:
            show.line(_NOTHING_CHANGED, "dim")

    value = {"applied": args.apply, **swept}
    return show.answer(value, say, FAILED if swept["failed"] else 0)


@COMMANDS.command(
    "reembed",
    flag("--missing", "only records without a vector of this embedder; continues a run"),
    PAUSE,
    of_user=False,
)
async def run_reembed(args: Namespace, show: Presenter) -> None:
    """Embed every record of every user again, and record the embedder in the store."""
    settings, done = settings_of(args), Progress(0, 0, 0)
    embedder = configured_embedder(settings)
    async with open_store(args, check_embedder=False) as backend:
        gateway = Gateway(
            backend.store, settings.limits.store_read_timeout_s, _PATIENT_S, _PATIENT_S
        )
        embedding = reembed(gateway, embedder, clock.utc_now(), only_missing=args.missing)
        resumed = _resumed_by("memory-graph reembed --missing", show)
        with resumed, show.progress("Embedding") as update:
            async for done in embedding:
                update(done.namespaces_done, done.namespaces)
                await asyncio.sleep(args.pause)
    name = f"{embedder.name}/{embedder.dims}"
    value = {"embedder": name, "records": done.records}
    show.answer(value, f"Embedded {done.records} records with {name}.")


@COMMANDS.command("calibrate", of_user=False)
async def run_calibrate(args: Namespace, show: Presenter) -> None:
    """Measure the embedder's scale of similarity, and save it in the store."""
    settings = settings_of(args)
    embedder = configured_embedder(settings)
    measured = await calibrate(embedder)
    scale = measured.scale
    async with open_store(args) as backend:
        embedder.scale = scale
        await record_embedder(open_gateway(backend.store, settings), embedder)
    points = {"unrelated": scale.unrelated, "related": scale.related, "same": scale.same}
    show.answer(
        {"embedder": embedder.name, "separation": measured.separation, **points},
        f"Measured {embedder.name} on {measured.pairs} pairs of statements.\n"
        f"Cosines: unrelated up to {scale.unrelated:.2f}, the same words about another fact "
        f"{scale.related:.2f}, a paraphrase {scale.same:.2f}.\n"
        "A paraphrase is nearer than the same words about another fact in "
        f"{measured.separation:.0%} of the pairs.\nSaved in the store.",
    )


@contextmanager
def _resumed_by(command: str, show: Presenter) -> Iterator[None]:
    """Say how to go on after an interruption or an error of a store."""
    try:
        yield
    except ConfigurationError:
        raise
    except BaseException:
        show.problem(f"Broken off; `{command}` goes on with it.")
        raise
