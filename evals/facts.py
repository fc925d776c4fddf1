"""How well do the gate, the offline extractor and the keys do on the labelled messages?"""

import json
import statistics
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypedDict

from memory_graph.llm.offline.facts import extract_facts
from memory_graph.policy.gate import decide_gate
from memory_graph.policy.keys import fact_key, normalise, resolve_entity
from memory_graph.records import FactCandidate

CASES = Path(__file__).parent / "cases"
TODAY = date(2026, 11, 16)
Split = Literal["tune", "check"]
Label = tuple[str, str, str, bool]

MUST_HIT = frozenset({"correct", "retraction"})
MUST_MISS = frozenset({"unrelated", "add", "recurring_event", "other_speaker", "hypothetical"})


class LabelledFact(TypedDict, total=False):
    """A fact as written in `messages.jsonl`."""

    entity: str
    attribute: str
    value: str | None
    retracts: bool


class Message(TypedDict, total=False):
    """One line of `messages.jsonl`."""

    id: str
    text: str
    history: list[str]
    gate: Literal["pass", "drop"]
    facts: list[LabelledFact]


class Pair(TypedDict):
    """One line of `fact_pairs.jsonl`."""

    id: str
    old: str
    new: str
    relation: str


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
    passed = [message for message in messages if decide_gate(message["text"]).passes]
    return Score(
        right=sum(message["gate"] == "pass" for message in passed),
        proposed=len(passed),
        wanted=sum(message["gate"] == "pass" for message in messages),
    )


def score_extraction(messages: Sequence[Message]) -> Score:
    """Count facts found behind the gate."""
    found = [proposed(message) for message in messages]
    wanted = [labelled(message) for message in messages]
    right = sum(len(f & w) for f, w in zip(found, wanted, strict=True))
    return Score(right, sum(map(len, found)), sum(map(len, wanted)))


def proposed(message: Message) -> set[Label]:
    """Extract a message's facts as labels."""
    if not decide_gate(message["text"]).passes:
        return set()
    facts = extract_facts((*message.get("history", ()), message["text"]), today=TODAY)
    return {_label(fact.entity, fact.attribute or "", fact.value, fact.retracts) for fact in facts}


def labelled(message: Message) -> set[Label]:
    """Return a message's own labels."""
    return {
        _label(fact["entity"], fact["attribute"], fact["value"], fact.get("retracts", False))
        for fact in message["facts"]
    }


def hits_key(pair: Pair) -> bool:
    """Say whether the second message would replace or end a fact of the first."""
    before = {fact_key(fact): fact for fact in extract_facts([pair["old"]], today=TODAY)}
    kinds = {normalise(f.entity): f.entity_kind for f in before.values() if f.entity_kind}
    known = {name: kind for name, kind in kinds.items() if kind is not None}
    after = [
        resolve_entity(fact, known)
        for fact in extract_facts([pair["old"], pair["new"]], today=TODAY)
        if decide_gate(pair["new"]).passes
    ]
    return any(_changes(before.get(fact_key(fact)), fact) for fact in after if fact_key(fact))


def latency_p95(messages: Sequence[Message]) -> float:
    """Return the 95th percentile of milliseconds per message."""
    spent: list[float] = []
    for message in messages:
        start = time.perf_counter()
        proposed(message)
        spent.append((time.perf_counter() - start) * 1000)
    return statistics.quantiles(spent, n=20)[-1]


def _changes(before: FactCandidate | None, after: FactCandidate) -> bool:
    if before is None:
        return False
    return after.retracts or normalise(before.value or "") != normalise(after.value or "")


def _label(entity: str, attribute: str, value: str | None, retracts: bool) -> Label:
    return normalise(entity), normalise(attribute), normalise(value or ""), retracts


def _read(name: str) -> Iterator[dict[str, object]]:
    with (CASES / name).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _rate(pairs: Iterable[Pair], relations: frozenset[str]) -> tuple[float, int]:
    chosen = [pair for pair in pairs if pair["relation"] in relations]
    return sum(map(hits_key, chosen)) / len(chosen), len(chosen)


def _report(split: Split, messages: Sequence[Message], pairs: Sequence[Pair]) -> None:
    gate, facts = score_gate(messages), score_extraction(messages)
    updates, update_count = _rate(pairs, MUST_HIT)
    wrongs, wrong_count = _rate(pairs, MUST_MISS)
    print(f"{split}: {len(messages)} messages, {len(pairs)} pairs")
    print(f"  gate        precision {gate.precision:.3f}  recall {gate.recall:.3f}")
    print(
        f"  extraction  precision {facts.precision:.3f}  recall {facts.recall:.3f}  F1 {facts.f1:.3f}"
    )
    print(f"  keys        update recall {updates:.3f} of {update_count}", end="  ")
    print(f"wrongful retirement {wrongs:.3f} of {wrong_count}")
    print(f"  latency     p95 {latency_p95(messages):.2f} ms per message")


def _failures(messages: Sequence[Message], pairs: Sequence[Pair]) -> None:
    for message in messages:
        found, wanted = proposed(message), labelled(message)
        if found != wanted:
            print(
                f"{message['id']} {message['text']!r}\n   missing {wanted - found}  extra {found - wanted}"
            )
        if decide_gate(message["text"]).passes != (message["gate"] == "pass"):
            print(f"{message['id']} gate: {decide_gate(message['text'])} {message['text']!r}")
    for pair in pairs:
        hit = hits_key(pair)
        if (hit and pair["relation"] in MUST_MISS) or (not hit and pair["relation"] in MUST_HIT):
            print(f"{pair['id']} {pair['relation']}: {pair['old']!r} -> {pair['new']!r}")


def main() -> None:
    """Print the numbers of both splits; `--failures` lists those of the tune split."""
    messages: list[Message] = list(_read("messages.jsonl"))  # type: ignore[arg-type]
    pairs: list[Pair] = list(_read("fact_pairs.jsonl"))  # type: ignore[arg-type]
    if "--failures" in sys.argv:
        _failures(
            [m for m in messages if split_of(m["id"]) == "tune"],
            [p for p in pairs if split_of(p["id"]) == "tune"],
        )
    for split in ("tune", "check"):
        _report(
            split,
            [m for m in messages if split_of(m["id"]) == split],
            [p for p in pairs if split_of(p["id"]) == split],
        )


if __name__ == "__main__":
    main()
