"""How well do the gate, the offline extractor and the keys do on the labelled messages?"""

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Literal, Protocol, TypeVar

from pydantic import BaseModel

from memory_graph.llm.offline.facts import extract_facts
from memory_graph.policy.gate import decide_gate
from memory_graph.policy.keys import fact_key, normalise, resolve_entity
from memory_graph.records import FactCandidate

CASES = Path(__file__).parent / "cases"
TODAY = date(2026, 11, 16)
MUST_HIT = frozenset({"correct", "retraction"})
MUST_MISS = frozenset({"unrelated", "add", "recurring_event", "other_speaker", "hypothetical"})

Split = Literal["tune", "check"]
Label = tuple[str, str, str, bool]


class LabelledFact(BaseModel):
    """A fact as written in `messages.jsonl`."""

    entity: str
    attribute: str
    value: str | None
    retracts: bool = False


class Message(BaseModel):
    """One line of `messages.jsonl`."""

    id: str
    text: str
    history: tuple[str, ...] = ()
    gate: Literal["pass", "drop"]
    facts: tuple[LabelledFact, ...]


class Pair(BaseModel):
    """One line of `fact_pairs.jsonl`."""

    id: str
    old: str
    new: str
    relation: str


class _Case(Protocol):
    id: str


CaseT = TypeVar("CaseT", bound=_Case)


@dataclass(frozen=True)
class Score:
    """Counts of one comparison, and what follows from them."""

    right: int
    proposed: int
    wanted: int

    @property
    def precision(self) -> float:
        """Share of what was proposed that is right."""
        return self.right / self.proposed if self.proposed else 1.0

    @property
    def recall(self) -> float:
        """Share of what was wanted that was found."""
        return self.right / self.wanted if self.wanted else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def split_of(case_id: str) -> Split:
    """Say whether a case may be looked at (`tune`) or only counted (`check`)."""
    return "check" if sha256(case_id.encode()).digest()[0] % 3 == 0 else "tune"


def score_gate(messages: Sequence[Message]) -> Score:
    """Count messages the gate let through."""
    passed = [message for message in messages if decide_gate(message.text).passes]
    return Score(
        right=sum(message.gate == "pass" for message in passed),
        proposed=len(passed),
        wanted=sum(message.gate == "pass" for message in messages),
    )


def score_extraction(messages: Sequence[Message]) -> Score:
    """Count facts found behind the gate."""
    found = [proposed(message) for message in messages]
    wanted = [labelled(message) for message in messages]
    right = sum(len(f & w) for f, w in zip(found, wanted, strict=True))
    return Score(right, sum(map(len, found)), sum(map(len, wanted)))


def proposed(message: Message) -> set[Label]:
    """Extract a message's facts as labels."""
    facts = _facts_behind_gate(*message.history, message.text)
    return {_label(fact.entity, fact.attribute, fact.value, fact.retracts) for fact in facts}


def labelled(message: Message) -> set[Label]:
    """Return a message's own labels."""
    facts = message.facts
    return {_label(fact.entity, fact.attribute, fact.value, fact.retracts) for fact in facts}


def hits_key(pair: Pair) -> bool:
    """Say whether the second message would replace or end a fact of the first, by key alone."""
    before = {fact_key(fact): fact for fact in extract_facts([pair.old], today=TODAY)}
    known = {normalise(f.entity): f.entity_kind for f in before.values() if f.entity_kind}
    after = (resolve_entity(fact, known) for fact in _facts_behind_gate(pair.old, pair.new))
    return any(_changes(before.get(key), fact) for fact in after if (key := fact_key(fact)))


def latency_p95(messages: Sequence[Message]) -> float:
    """Return the 95th percentile of milliseconds per message."""
    spent: list[float] = []
    for message in messages:
        start = time.perf_counter()
        proposed(message)
        spent.append((time.perf_counter() - start) * 1000)
    return statistics.quantiles(spent, n=20)[-1]


def _facts_behind_gate(*texts: str) -> tuple[FactCandidate, ...]:
    return extract_facts(texts, today=TODAY) if decide_gate(texts[-1]).passes else ()


def _changes(before: FactCandidate | None, after: FactCandidate) -> bool:
    if before is None:
        return False
    return after.retracts or normalise(before.value or "") != normalise(after.value or "")


def _label(entity: str, attribute: str | None, value: str | None, retracts: bool) -> Label:
    return normalise(entity), normalise(attribute or ""), normalise(value or ""), retracts


def _load(name: str, parse: Callable[[str], CaseT]) -> list[CaseT]:
    return [parse(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]


def _only(split: Split, cases: Sequence[CaseT]) -> list[CaseT]:
    return [case for case in cases if split_of(case.id) == split]


def _hit_rate(pairs: Sequence[Pair], relations: frozenset[str]) -> str:
    hits = [hits_key(pair) for pair in pairs if pair.relation in relations]
    return f"{sum(hits) / len(hits):.3f} of {len(hits)}"


def _report(split: Split, messages: Sequence[Message], pairs: Sequence[Pair]) -> None:
    gate, facts = score_gate(messages), score_extraction(messages)
    print(f"{split}: {len(messages)} messages, {len(pairs)} pairs")
    print(f"  gate        precision {gate.precision:.3f}  recall {gate.recall:.3f}")
    print(f"  extraction  precision {facts.precision:.3f}  recall {facts.recall:.3f}", end="  ")
    print(f"F1 {facts.f1:.3f}")
    print(f"  keys        update recall {_hit_rate(pairs, MUST_HIT)}", end="  ")
    print(f"wrongful retirement {_hit_rate(pairs, MUST_MISS)}")
    print(f"  latency     p95 {latency_p95(messages):.2f} ms per message")


def _list_failures(messages: Sequence[Message], pairs: Sequence[Pair]) -> None:
    for message in messages:
        found, wanted = proposed(message), labelled(message)
        if found != wanted:
            print(f"{message.id} {message.text!r}")
            print(f"  missing {wanted - found}  extra {found - wanted}")
        if decide_gate(message.text).passes != (message.gate == "pass"):
            print(f"{message.id} {decide_gate(message.text)} {message.text!r}")
    for pair in pairs:
        expected = MUST_MISS if hits_key(pair) else MUST_HIT
        if pair.relation in expected:
            print(f"{pair.id} {pair.relation}: {pair.old!r} -> {pair.new!r}")


def main() -> None:
    """Print the numbers of both splits; `--failures` lists those of the tune split."""
    messages = _load("messages.jsonl", Message.model_validate_json)
    pairs = _load("fact_pairs.jsonl", Pair.model_validate_json)
    if "--failures" in sys.argv:
        _list_failures(_only("tune", messages), _only("tune", pairs))
    for split in ("tune", "check"):
        _report(split, _only(split, messages), _only(split, pairs))


if __name__ == "__main__":
    main()
