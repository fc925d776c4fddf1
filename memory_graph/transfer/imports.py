"""Plan an import (what it would change), and apply it."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args
from zoneinfo import ZoneInfo

from memory_graph.curation.forget import mark_of_forgotten
from memory_graph.curation.lookup import find_by_id, puts_of
from memory_graph.errors import StoreUnavailableError
from memory_graph.facts.extraction import read_keyed, skip
from memory_graph.facts.writing import SameFactJudge, Utterance, admit
from memory_graph.keys import stable_id
from memory_graph.language.words import shorten
from memory_graph.records import Action, Change, Episode, FactCandidate, MemoryDecision, Pattern
from memory_graph.safety.secrets import holds_secret, without_secrets
from memory_graph.settings import get_settings
from memory_graph.store.backends.protocol import EVERYTHING
from memory_graph.store.scope import Memory, UserMemory, decision_for, receipt_of, user_lock
from memory_graph.transfer.incoming import ORDER, SECRET, Incoming, Statement, Unusable
from memory_graph.transfer.other_systems import read_items

Fate = Literal["create", "update", "keep", "deleted"]
"""`deleted`: an unedited note about something that was deleted since."""

_BATCH = 100  # records written, and kept in the ledger, at a time


@dataclass(frozen=True)
class Planned:
    """What an import does with one record."""

    action: Fate
    after: Episode | Pattern
    before: Memory | None = None


@dataclass(frozen=True)
class Plan:
    """What an import would do; nothing is written yet."""

    records: tuple[Planned, ...]
    unusable: tuple[Unusable, ...] = ()

    @property
    def changes(self) -> tuple[Planned, ...]:
        """What would be written."""
        return tuple(each for each in self.records if each.action in ("create", "update"))

    @property
    def counts(self) -> dict[str, int]:
        """How many records have which fate, and how many are unusable."""
        counted = Counter[str](each.action for each in self.records)
        return {fate: counted[fate] for fate in get_args(Fate)} | {"unusable": len(self.unusable)}


async def read_langmem(memory: UserMemory, namespace: tuple[str, ...]) -> Incoming:
    """Return what LangMem keeps under a namespace of the same store."""
    gateway = memory.scope.gateway
    try:
        async with asyncio.timeout(gateway.read_timeout_s):
            items = await gateway.store.asearch(namespace, limit=EVERYTHING)
    except TimeoutError as error:
        raise StoreUnavailableError("The store did not answer in time.") from error
    # A search also covers namespaces below this one, which may hold our own records.
    return read_items(item for item in items if tuple(item.namespace) == namespace)


async def plan_import(memory: UserMemory, incoming: Incoming, *, overwrite: bool = False) -> Plan:
    """Compare incoming records with stored ones; without `overwrite` known ids do not change."""
    sensitive = get_settings().admission.sensitive
    records: list[Episode | Pattern] = [
        *(without_secrets(each, sensitive) for each in incoming.episodes),
        *(without_secrets(each, sensitive) for each in incoming.patterns),
    ]
    known = await find_by_id(memory, [each.id for each in records])
    entries = await memory.ledger.recent(node="forget") if incoming.unedited else []
    forgotten = {decision.memory_id for entry in entries for decision in entry.decisions}
    planned = []
    for after in {each.id: each for each in records}.values():
        before = known.get(after.id)
        is_unedited = after.id in incoming.unedited
        if before is None:  # an unedited note does not bring back what was deleted
            is_deleted = is_unedited and mark_of_forgotten(after.id) in forgotten
            fate: Fate = "deleted" if is_deleted else "create"
        elif is_unedited and after.updated_at <= before.updated_at:  # nor does it revert anything
            fate = "keep"
        else:  # the times at which it was written down do not count
            times = {"created_at": before.created_at, "updated_at": before.updated_at}
            is_same = before == after.model_copy(update=times)
            fate = "update" if overwrite and not is_same else "keep"
        planned.append(Planned(fate, after, before))
    return Plan(tuple(planned), incoming.unusable)


async def apply_import(
    memory: UserMemory,
    plan: Plan,
    change: Change,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> int:
    """Apply a plan, each batch with its ledger entry; return the number of records.

    After an interruption, plan and apply again: nothing is written twice.
    """
    total = len(plan.changes)
    for start in range(0, total, _BATCH):
        advance(start, total)
        batch = plan.changes[start : start + _BATCH]
        async with user_lock(memory.scope.root):
            new = [each.after for each in batch if isinstance(each.after, Episode)]
            puts = await memory.episodes.puts(new, change.at)
            decisions = []
            for each in batch:
                before, after = each.before, each.after
                if isinstance(after, Pattern):
                    puts += await puts_of(memory, after, change.at, before=before)
                action: Action = "update" if before else "create"
                decisions.append(decision_for(action, "imported", before=before, after=after))
            receipt = receipt_of(replace(change, id=stable_id(change.id, str(start))))
            await memory.apply(change.by, decisions, puts, at=change.at, receipts=[receipt])
    return total


class Admitted(NamedTuple):
    """How many statements were kept, changed or known already, and which were refused."""

    fates: Counter[str]
    unusable: list[Unusable]


_FATES = {"create": "create", "update": "update", "retract": "update", "verify": "keep"}
_REFUSALS = {"sensitive": SECRET, "instruction": ORDER}


async def admit_statements(
    memory: UserMemory, statements: Sequence[Statement], *, apply: bool
) -> Admitted:
    """Admit what another program noted about the user as if they had said it, oldest first.

    So it gets keys, updates known facts and repeats nothing. Without `apply` each statement is
    compared only with what is known now, not with the statements before it.
    """
    done = Admitted(Counter(), [])
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
) -> tuple[MemoryDecision, ...]:
    """Return what was decided about one statement; nothing if it was admitted before."""
    policy, judge = get_settings().admission, SameFactJudge(None, 0.0)
    if holds_secret(stated.text, policy.sensitive):
        return (skip("sensitive"),)
    said = Utterance(at=stated.at, source=stated.source, extractor=stated.reader)
    named = stable_id(stated.reader, *stated.source.message_ids)
    receipt = receipt_of(Change(id=named, by="import", at=said.at))
    async with user_lock(memory.facts.namespace):
        if await memory.ledger.find([receipt.id]):
            return ()
        # Read as if the user said it; what no rule reads is kept as it is.
        candidates = await read_keyed(stated.text, stated.at, ZoneInfo("UTC")) or [
            FactCandidate(statement=shorten(stated.text, 500), category=stated.category)
        ]
        admitted = await admit(memory, candidates, said, policy, judge)
        if apply:
            await memory.apply(
                "import", admitted.decisions, admitted.puts, at=said.at, receipts=[receipt]
            )
    return admitted.decisions
