"""Find copies, echoes, orders and secrets, and fix them."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from langgraph.store.base import PutOp

from memory_graph import clock
from memory_graph.curation.lookup import find_by_id, writes_of
from memory_graph.curation.validate import validate_memory
from memory_graph.facts.timeline import is_over, is_pending_retraction
from memory_graph.language.frames import is_from_memory_alone
from memory_graph.policies import AdmissionPolicy
from memory_graph.records import Episode, Fact, MemoryDecision
from memory_graph.safety.own_voice import is_instruction
from memory_graph.safety.secrets import holds_secret, stated
from memory_graph.store.changes import Memory, decision_for
from memory_graph.store.locks import user_lock
from memory_graph.store.scope import UserMemory

FixReason = Literal["duplicate", "echo", "instruction"]

FindingKind = Literal[
    FixReason,
    "secret",
    "unreadable",
]

JUNK: frozenset[FindingKind] = frozenset({*get_args(FixReason), "secret", "unreadable"})
"""Findings of no use to anybody; a person should look at the others."""

MEANINGS: Mapping[FindingKind, str] = {
    "duplicate": "Another memory says the same, word for word.",
    "echo": "It only repeats what memory itself said, or a question.",
    "instruction": "It gives an order or claims a right, which is no fact.",
    "secret": "It holds a secret; forget it.",
    "unreadable": "The record cannot be read.",
}
"""What each kind of finding means, for people."""

NODE = "audit"
_BLOCK_LINE = re.compile(r"^(?:</?memory>|What may bear on this:|- \((?:\w{3} )?\d{4}-\d\d-\d\d,)")
"""How the block of recalled memory begins, where somebody kept it as a fact."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something about one memory that a person should know."""

    kind: FindingKind
    memory_ids: tuple[str, ...]
    """The memory it is about; then the one that it repeats."""

    text: str = ""
    """What the first says."""

    detail: str = ""


def _finding(
    kind: FindingKind, record: Fact | Episode, *beside: Fact | Episode, detail: str = ""
) -> Finding:
    ids = tuple(each.id for each in (record, *beside))
    return Finding(kind=kind, memory_ids=ids, text=_text(record), detail=detail)


def _text(record: Fact | Episode) -> str:
    return record.statement if isinstance(record, Fact) else f"{record.title}. {record.summary}"


@dataclass(frozen=True, kw_only=True)
class AuditReport:
    """What is wrong with a memory, and how much of it is of no use."""

    total: int
    """Facts and episodes that were looked at, and records that could not be read."""

    junk: int
    """How many of them are of no use."""

    junk_share: float
    counts: dict[FindingKind, int]
    refused: dict[str, int]
    """Statements that were not kept, by reason: `sensitive`, `instruction`."""

    findings: list[Finding]


@dataclass(frozen=True, kw_only=True)
class Material:
    """What is looked at: somebody's memory, or an export before it is imported."""

    facts: Sequence[Fact] = ()
    episodes: Sequence[Episode] = ()
    unreadable: Mapping[str, str] = field(default_factory=dict)  # why records cannot be read, by id
    echoing: Collection[str] = ()  # messages that only asked, or repeated what memory said
    refused: dict[str, int] = field(default_factory=dict)


async def audit_memory(memory: UserMemory, policy: AdmissionPolicy) -> AuditReport:
    """Audit a user's memory; changes nothing."""
    facts = [each for each in await memory.facts.all() if not is_pending_retraction(each)]
    episodes = await memory.episodes.all()
    report = await validate_memory(memory)
    turns = await memory.turns.all()
    skipped = Counter(
        decision.reason
        for entry in await memory.ledger.recent()
        for decision in entry.decisions
        if decision.reason in {"sensitive", "instruction"}
    )
    material = Material(
        facts=facts,
        episodes=episodes,
        unreadable={p.record_id: p.detail for p in report.problems if p.reason == "unreadable"},
        echoing=[
            message_id
            for turn in turns
            if turn.echoes and turn.role == "user"
            for message_id in turn.source.message_ids
        ],
        refused=dict(sorted(skipped.items())),
    )
    return await audit(material, policy)


async def audit(material: Material, policy: AdmissionPolicy) -> AuditReport:
    """Audit facts and episodes, wherever they come from."""
    current = sorted(
        (fact for fact in material.facts if not is_over(fact, clock.utc_now())),
        key=lambda fact: (fact.valid_from, fact.id),
    )
    findings = [
        Finding(kind="unreadable", memory_ids=(record_id,), detail=detail)
        for record_id, detail in material.unreadable.items()
    ]
    findings += _unsafe(current, policy)
    findings += _echoes(current, material.echoing)
    findings += _duplicates(current)
    findings += _duplicates(sorted(material.episodes, key=lambda e: (e.started_at, e.id)))
    total = len(current) + len(material.episodes) + len(material.unreadable)
    junk = len({each.memory_ids[0] for each in findings if each.kind in JUNK})
    counted = Counter(each.kind for each in findings)
    return AuditReport(
        total=total,
        junk=junk,
        junk_share=round(junk / total, 4) if total else 0.0,
        counts={kind: counted[kind] for kind in MEANINGS},
        refused=material.refused,
        findings=findings,
    )


def _unsafe(facts: Iterable[Fact], policy: AdmissionPolicy) -> Iterator[Finding]:
    """Yield what would be refused if it were said today, without repeating secrets."""
    for fact in facts:
        text = stated(fact)
        if holds_secret(text, policy.sensitive):
            yield Finding(kind="secret", memory_ids=(fact.id,))
        elif is_instruction(text):
            yield _finding("instruction", fact)


def _echoes(facts: Iterable[Fact], echoing: Collection[str]) -> Iterator[Finding]:
    only_asked = set(echoing)
    for fact in facts:
        is_ours = is_from_memory_alone(fact.statement) or _BLOCK_LINE.match(fact.statement)
        is_asked = fact.own_words and only_asked.issuperset(fact.source.message_ids or ("",))
        if is_ours or is_asked:
            yield _finding("echo", fact)


def _duplicates(records: Sequence[Fact] | Sequence[Episode]) -> Iterator[Finding]:
    """Yield all but one of the memories that say the same, word for word."""
    alike: dict[str, list[Fact | Episode]] = {}
    for each in records:
        alike.setdefault(" ".join(re.findall(r"\w+", _text(each).casefold())), []).append(each)
    for same in alike.values():
        kept = max(same, key=_worth_keeping)
        for each in (each for each in same if each is not kept):
            yield _finding("duplicate", each, kept, detail=f"{len(same)} copies")


def _worth_keeping(record: Fact | Episode) -> tuple[bool, bool, int, float]:
    """Return the rank by which one of several copies stays: pin, key, history, age."""
    earlier = -record.created_at.timestamp()
    if isinstance(record, Fact):
        return record.pinned, record.key is not None, len(record.history), earlier
    return False, False, len(record.merged_from), earlier


@dataclass(frozen=True)
class Fix:
    """What a fix changes, and its ledger entry; no entry for a dry run."""

    decisions: tuple[MemoryDecision, ...]
    entry_id: str | None = None

    def as_json(self) -> dict[str, object]:
        """Return the changes as `--json` and the server show them."""
        changes = [
            {"id": each.memory_id, "action": each.action, "reason": each.reason}
            for each in self.decisions
        ]
        return {"applied": self.entry_id is not None, "entry": self.entry_id, "changes": changes}


async def fix(memory: UserMemory, report: AuditReport, now: datetime, *, apply: bool) -> Fix:
    """Remove copies, echoes and orders.

    All of it is one ledger entry, which can be undone. Secrets are left to `forget`, because what
    can be undone is still stored. Memories deleted since the report are skipped.
    """
    async with user_lock(memory.facts.namespace):
        ids = [memory_id for each in report.findings for memory_id in each.memory_ids]
        known = await find_by_id(memory, ids)
        decisions: dict[str, MemoryDecision] = {}
        for finding in report.findings:
            if decision := _mending(finding, known, decisions.keys()):
                decisions[finding.memory_ids[0]] = decision
        made = tuple(decisions.values())
        if not apply or not made:
            return Fix(made)
        puts: list[PutOp] = []
        for name, each in decisions.items():
            after = Fact.model_validate(each.after) if each.after else None
            puts += await writes_of(memory, known[name], after, now)
        return Fix(made, (await memory.apply(NODE, made, puts, at=now)).id)


def _mending(
    finding: Finding, known: Mapping[str, Memory], changed: Collection[str]
) -> MemoryDecision | None:
    """Decide about one memory; skip it if it, or the one that would stay, changes already."""
    record = known.get(finding.memory_ids[0])
    if record is None or {*changed} & {*finding.memory_ids}:
        return None
    if finding.kind in get_args(FixReason):
        return decision_for("evict", finding.kind, before=record, after=None)
    return None
