"""Records read from elsewhere: what an import would change, and how it is applied."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Literal, NamedTuple

from pydantic import ValidationError

from memory_graph import records
from memory_graph.curation.forget import mark_of_forgotten
from memory_graph.curation.lookup import find_by_id, puts_of
from memory_graph.facts.checks import refusal_of
from memory_graph.facts.keeping import admit
from memory_graph.facts.reading import read_keyed, skip
from memory_graph.facts.reconcile import Utterance
from memory_graph.keys import stable_id, unkeyed_id
from memory_graph.language.words import shorten
from memory_graph.safety.secrets import without_secrets
from memory_graph.settings import get_settings
from memory_graph.store.changes import Memory, decision_for, receipt_of
from memory_graph.store.locks import user_lock
from memory_graph.store.scope import UserMemory
from memory_graph.transfer.jsonl import ORDER, SECRET, refusal


@dataclass(frozen=True)
class Unusable:
    """Something that could not become a record, and why."""

    where: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A statement by another program, which is admitted as if the user had said it."""

    where: str
    text: str
    at: datetime
    category: records.FactCategory = "other"
    source: records.Source
    reader: str


@dataclass(frozen=True, kw_only=True)
class Incoming:
    """Records whose ids depend only on what they were made from."""

    episodes: tuple[records.Episode, ...] = ()
    patterns: tuple[records.Pattern, ...] = ()
    statements: tuple[Statement, ...] = ()
    unusable: tuple[Unusable, ...] = ()
    unedited: frozenset[str] = frozenset()
    """Ids of unedited records that memory itself exported; they hold nothing newer."""

    def __add__(self, other: "Incoming") -> "Incoming":
        """Return both together."""
        return Incoming(
            episodes=self.episodes + other.episodes,
            patterns=self.patterns + other.patterns,
            statements=self.statements + other.statements,
            unusable=self.unusable + other.unusable,
            unedited=self.unedited | other.unedited,
        )


def as_facts(statements: Sequence[Statement]) -> tuple[records.Fact, ...]:
    """Return statements as facts, not compared with anything, for an audit."""
    return tuple(
        records.Fact(
            id=unkeyed_id(each.reader, *each.source.message_ids),
            statement=each.text,
            category=each.category,
            created_at=each.at,
            updated_at=each.at,
            last_verified_at=each.at,
            valid_from=each.at,
            source=each.source,
            extractor=each.reader,
        )
        for each in statements
    )


def refused(where: str, reason: str) -> Incoming:
    """Return one thing that could not be used."""
    return Incoming(unusable=(Unusable(where, reason),))


def misfit(where: str, error: ValidationError) -> Incoming:
    """Return one thing whose fields are invalid, named without their values."""
    return refused(where, f"does not fit: {misfits(error, 'record')}")


def misfits(error: ValidationError, whole: str) -> str:
    """Return which fields are invalid; `whole` stands for all of them together."""
    places = (".".join(map(str, each["loc"])) or whole for each in error.errors())
    return ", ".join(dict.fromkeys(places))


def text_of(entry: Mapping[str, object], name: str) -> str:
    """Return a field as text, empty where it is missing."""
    value = entry.get(name)
    return str(value).strip() if value is not None else ""


def mappings(value: object) -> list[Mapping[str, object]]:
    """Return the entries of a list that have named fields."""
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def read_moment(value: object) -> datetime | None:
    """Return a day or a time as a moment; without a zone it is taken as UTC.

    Nothing is returned for an empty value or one that is no time.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    elif isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)  # noqa: DTZ001 — given below
    if not isinstance(value, datetime):
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


Fate = Literal["create", "update", "keep", "deleted"]
"""`deleted`: an unedited note about something that was deleted since."""

_BATCH = 100  # records written, and kept in the ledger, at a time


class Taken(NamedTuple):
    """How many records and statements had which fate, and what could not be used."""

    fates: Counter[Fate]
    unusable: list[Unusable]


async def take_in(
    memory: UserMemory,
    incoming: Incoming,
    change: records.Change,
    *,
    apply: bool = True,
    overwrite: bool = False,
) -> Taken:
    """Import records and statements, or only say what that would change.

    Without `overwrite` known ids do not change. Each batch has its ledger entry. After an
    interruption, import again: nothing is written twice.
    """
    sensitive = get_settings().admission.sensitive
    orders = [each for each in incoming.patterns if refusal(each, sensitive)]
    given: list[records.Episode | records.Pattern] = [
        *(without_secrets(each, sensitive) for each in incoming.episodes),
        *(without_secrets(each, sensitive) for each in incoming.patterns if each not in orders),
    ]
    known = await find_by_id(memory, [each.id for each in given])
    entries = await memory.ledger.recent(node="forget") if incoming.unedited else []
    forgotten = {decision.memory_id for entry in entries for decision in entry.decisions}
    admitted = await admit_statements(memory, incoming.statements, apply=apply)
    taken = Taken(admitted.fates, [*incoming.unusable, *admitted.unusable])
    taken.unusable.extend(Unusable(each.name, ORDER) for each in orders)
    changes: list[tuple[Memory | None, records.Episode | records.Pattern]] = []
    for after in {each.id: each for each in given}.values():
        before = known.get(after.id)
        if before is None:  # an unedited note does not bring back what was deleted
            is_deleted = mark_of_forgotten(after.id) in forgotten
            fate: Fate = "deleted" if is_deleted and after.id in incoming.unedited else "create"
        else:
            fate = _fate(after, before, incoming.unedited, overwrite=overwrite)
        taken.fates[fate] += 1
        changes += [(before, after)] if fate in {"create", "update"} else []
    for start in range(0, len(changes), _BATCH) if apply else ():
        part = replace(change, id=stable_id(change.id, str(start)))
        await _write(memory, changes[start : start + _BATCH], part)
    return taken


def _fate(
    after: records.Episode | records.Pattern,
    before: Memory,
    unedited: Collection[str],
    *,
    overwrite: bool,
) -> Fate:
    """Decide about a record that is known; an unedited note does not revert anything."""
    if not overwrite or (after.id in unedited and after.updated_at <= before.updated_at):
        return "keep"
    # The times at which it was written down do not count.
    times = {"created_at": before.created_at, "updated_at": before.updated_at}
    return "keep" if before == after.model_copy(update=times) else "update"


async def _write(
    memory: UserMemory,
    changes: Sequence[tuple[Memory | None, records.Episode | records.Pattern]],
    change: records.Change,
) -> None:
    async with user_lock(memory.scope.root):
        new = [after for _, after in changes if isinstance(after, records.Episode)]
        puts = await memory.episodes.puts(new, change.at)
        decisions = []
        for before, after in changes:
            if isinstance(after, records.Pattern):
                puts += await puts_of(memory, after, change.at, before=before)
            action: records.Action = "update" if before else "create"
            decisions.append(decision_for(action, "imported", before=before, after=after))
        receipts = [receipt_of(change)]
        await memory.apply(change.by, decisions, puts, at=change.at, receipts=receipts)


_FATES: Mapping[str, Fate] = {
    "create": "create",
    "update": "update",
    "retract": "update",
    "verify": "keep",
}
_REFUSALS = {"sensitive": SECRET, "instruction": ORDER}


async def admit_statements(
    memory: UserMemory, statements: Sequence[Statement], *, apply: bool
) -> Taken:
    """Admit what another program noted about the user as if they had said it, oldest first.

    So it gets keys, updates known facts and repeats nothing. Without `apply` each statement is
    compared only with what is known now, not with the statements before it.
    """
    done = Taken(Counter(), [])
    for each in sorted(statements, key=lambda one: one.at):
        decisions = await _admit(memory, each, apply=apply)
        acted = [decision.action for decision in decisions if decision.action in _FATES]
        reason = acted[0] if acted else decisions[0].reason if decisions else "verify"
        if reason in _REFUSALS:
            done.unusable.append(Unusable(each.where, _REFUSALS[reason]))
        else:
            done.fates[_FATES.get(reason, "keep")] += 1
    return done


async def _admit(
    memory: UserMemory, stated: Statement, *, apply: bool
) -> tuple[records.MemoryDecision, ...]:
    """Return what was decided about one statement; nothing if it was admitted before."""
    policy = get_settings().admission
    if refused := refusal_of(stated.text, policy.sensitive):
        return (skip(refused),)
    said = Utterance(at=stated.at, source=stated.source, extractor=stated.reader)
    named = stable_id(stated.reader, *stated.source.message_ids)
    receipt = receipt_of(records.Change(id=named, by="import", at=said.at))
    async with user_lock(memory.facts.namespace):
        if await memory.ledger.find([receipt.id]):
            return ()
        # Read as if the user said it; what no rule reads is kept as it is.
        candidates = await read_keyed(stated.text) or [
            records.FactCandidate(statement=shorten(stated.text, 500), category=stated.category)
        ]
        admitted = await admit(memory, candidates, said, policy)
        if apply:
            await memory.apply(
                "import", admitted.decisions, admitted.puts, at=said.at, receipts=[receipt]
            )
    return admitted.decisions
