"""`audit`, `validate`, `maintain` and `reembed`: maintain a store."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
import orjson

from memory_graph import clock
from memory_graph.cli.everybody import everybody_option, write_of_everybody
from memory_graph.cli.output import Presenter, count, decision_line, short_id
from memory_graph.cli.session import (
    FAILED,
    Session,
    apply_option,
    for_anybody,
    for_user,
    pause_option,
)
from memory_graph.cli.transfer import read_json
from memory_graph.curation.audit import JUNK, MEANINGS, AuditReport, Fix, audit_memory, fix
from memory_graph.curation.lookup import short_name
from memory_graph.curation.validate import ValidationReport, validate_memory
from memory_graph.embedding import configured_embedder
from memory_graph.errors import ConfigurationError
from memory_graph.store.gateway import Gateway, open_gateway
from memory_graph.store.labels import labels_of
from memory_graph.store.reembed import Progress
from memory_graph.store.reembed import reembed as reembed_store
from memory_graph.store.scope import UserMemory, memory_under
from memory_graph.transfer.other_systems import ANOTHER_USER, read_export

_SHOWN = 20  # findings of one kind that are printed; `--json` prints all of them
_PATIENT_S = 120.0  # a batch is embedded inside the write; nobody waits for a reply here
_NOTHING_CHANGED = "Nothing was changed; use `--apply` to make the changes."


@click.command(epilog="example: memory-graph audit --user ana --fix")
@click.option("--mem0", metavar="FILE", help="look at a mem0 export instead")
@click.option("--fix", "mends", is_flag=True, help="show the fixes")
@click.option("--apply", is_flag=True, help="with --fix: make the fixes; `undo` reverts them")
@everybody_option
@pause_option
@for_user
async def audit(  # noqa: PLR0913 — its options
    session: Session,
    *,
    mem0: str | None,
    mends: bool,
    apply: bool,
    all_users: str | None,
    pause: float,
) -> None:
    """Find copies, echoes, orders and secrets.

    With `--fix` the fixes are shown, with `--apply` they are made.
    """
    if (apply and not mends) or (mends and mem0):
        raise ConfigurationError(
            "--apply needs --fix, and an export can only be fixed in the system it comes from."
        )
    if all_users:
        await _EverybodyAudited(session, Path(all_users), mends=mends, apply=apply).run(pause)
        return
    show, incoming = session.show, None
    if mem0:
        exported = await asyncio.to_thread(read_json, Path(mem0))
        incoming = read_export(exported, session.user, clock.utc_now())
    async with session.open_memory() as memory:
        report = await memory.aaudit(incoming)
        mended = await memory.afix(report, apply=apply) if mends else None
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


@dataclass
class _EverybodyAudited:
    """An audit of all users: a report for each, and what all of them come to."""

    session: Session
    folder: Path
    mends: bool
    apply: bool
    fixed: int = 0

    async def run(self, pause: float) -> None:
        """Write the reports, and print their sum, those of earlier runs included."""
        done = await write_of_everybody(
            self.session, self.folder, pause, self._report, self._is_done
        )
        files = await asyncio.to_thread(lambda: sorted(self.folder.glob("*.jsonl")))
        reports = [orjson.loads(await asyncio.to_thread(file.read_bytes)) for file in files]
        counts: Counter[str] = Counter()
        for each in reports:
            counts.update(each["counts"])
        junk, total = (sum(each[name] for each in reports) for name in ("junk", "total"))
        value = {**done, "junk": junk, "total": total, "counts": dict(counts)}
        if self.mends:
            value |= {"applied": self.apply, "fixed" if self.apply else "would_fix": self.fixed}
        text = f"Found {junk} of {total} memories of {count(len(reports), 'user')}"
        self.session.show.answer(
            value, lambda: self._show(counts, f"{text} that are of no use.", done["skipped"])
        )

    async def _report(self, memory: UserMemory) -> str:
        report = await audit_memory(memory, self.session.settings.admission)
        changes: dict[str, object] = {}
        if self.mends:
            mended = await fix(memory, report, clock.utc_now(), apply=self.apply)
            self.fixed += len(mended.decisions)
            changes = mended.as_json()
        return orjson.dumps({**vars(report), **changes, "applied": self.apply}).decode() + "\n"

    def _is_done(self, file: Path) -> bool:
        """Say whether what is asked for now was done when a user's report was written."""
        if not file.exists():
            return False
        report = orjson.loads(file.read_bytes())
        return bool(report.get("applied")) if self.apply else not self.mends or "changes" in report

    def _show(self, counts: Counter[str], text: str, skipped: int) -> None:
        show = self.session.show
        rows = [(kind, str(number)) for kind, number in counts.items() if number]
        show.table("Findings", ("kind", "memories"), rows)
        show.line(text)
        if self.apply:
            show.line(f"Fixed {self.fixed} in this run.")
        elif self.mends:
            show.line(
                f"{self.fixed} would be fixed; use `--fix --apply` to make the changes.", "dim"
            )
        if skipped:
            show.line(f"Skipped {count(skipped, 'user')} whose report is in {self.folder}.")


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


@click.command(epilog="example: memory-graph validate --user ana --json")
@click.option("--all-users", is_flag=True, help="all users")
@pause_option
@for_user
async def validate(session: Session, all_users: bool, pause: float) -> int:
    """Check all records and links.

    It prints what is wrong with a user's memory, and fails if anything is.
    """
    show = session.show
    if all_users:
        return await _validate_all(session, pause)
    async with session.open_memory() as memory:
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


async def _validate_all(session: Session, pause: float) -> int:
    show = session.show
    reports: dict[str, ValidationReport] = {}
    async with session.open_store() as backend:
        labels = await labels_of(open_gateway(backend.store, session.settings))
        with show.progress("Users") as update:
            for label in labels:
                reports[label] = await validate_memory(memory_under(label, backend.store))
                update(len(reports), len(labels))
                await asyncio.sleep(pause)
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


@click.command(epilog="example: memory-graph maintain --apply")
@click.option("--all-users", is_flag=True, help="all users, from where the last run ended")
@pause_option
@apply_option
@for_user
async def maintain(session: Session, all_users: bool, pause: float, apply: bool) -> int:
    """Close, archive and deduplicate episodes.

    It prints what maintenance would change, and changes it with `--apply`.
    """
    show = session.show
    if all_users:
        return await _maintain_all(session, pause, apply=apply)
    async with session.open_memory() as memory:
        decisions = await memory.amaintain(apply=apply)
    changes = [{"id": each.memory_id, "reason": each.reason} for each in decisions]

    def say() -> None:
        rows = [(short_id(each.memory_id or ""), each.action, each.reason) for each in decisions]
        show.table("Changes", ("id", "action", "reason"), rows)
        if decisions and not apply:
            show.line(_NOTHING_CHANGED, "dim")

    return show.answer({"applied": apply, "changes": changes}, say)


async def _maintain_all(session: Session, pause: float, *, apply: bool) -> int:
    from memory_graph.maintenance import sweep  # noqa: PLC0415 — brings a graph

    show = session.show
    async with session.open_store() as backend:
        with show.progress("Users") as update:
            swept = await sweep(
                backend.store, session.context(), update, apply=apply, pause_s=pause
            )

    def say() -> None:
        rows = [(reason, str(number)) for reason, number in sorted(swept["changes"].items())]
        show.table("Changes", ("reason", "memories"), rows)
        show.line("{users} users, {failed} failed, {remaining} remaining.".format_map(swept))
        if not apply:
            show.line(_NOTHING_CHANGED, "dim")

    value = {"applied": apply, **swept}
    return show.answer(value, say, FAILED if swept["failed"] else 0)


@click.command(epilog="example: memory-graph reembed --missing")
@click.option(
    "--missing",
    is_flag=True,
    help="only records without a vector of this embedder; continues a run",
)
@pause_option
@for_anybody
async def reembed(session: Session, missing: bool, pause: float) -> None:
    """Recompute all vectors with the configured embedder.

    Those of every record of every user; the embedder is recorded in the store.
    """
    show, settings, done = session.show, session.settings, Progress(0, 0, 0)
    embedder = configured_embedder(settings)
    async with session.open_store(check_embedder=False) as backend:
        gateway = Gateway(
            backend.store, settings.limits.store_read_timeout_s, _PATIENT_S, _PATIENT_S
        )
        embedding = reembed_store(gateway, embedder, clock.utc_now(), only_missing=missing)
        resumed = _resumed_by("memory-graph reembed --missing", show)
        with resumed, show.progress("Embedding") as update:
            async for done in embedding:
                update(done.namespaces_done, done.namespaces)
                await asyncio.sleep(pause)
    name = f"{embedder.name}/{embedder.dims}"
    value = {"embedder": name, "records": done.records}
    show.answer(value, f"Embedded {done.records} records with {name}.")


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
