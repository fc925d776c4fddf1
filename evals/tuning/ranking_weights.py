"""Tunes how much each signal of relevance counts.

Words are the unit that all other signals are weighed against: only ratios change a ranking.
"""

from collections.abc import Sequence

import numpy as np

from benchmarks.locomo import load
from benchmarks.locomo_retrieval import TUNED_ON
from benchmarks.locomo_systems import Archive, said_in
from evals.harness.runner import Setup, SkippedSuiteError
from evals.harness.scorers import Counts
from evals.suites.questions import NOW, Question, filled_memories, read_questions
from evals.tuning.tasks import Case, Range, Tunable, Values
from memory_graph.embedding import load_embedder
from memory_graph.policies import RankingWeights
from memory_graph.records import SIGNALS, Fact, Signal, TurnRecord
from memory_graph.settings import get_settings
from memory_graph.store.collection import Found
from memory_graph.store.scope import UserMemory
from memory_graph.store.values import Query

_UNIT: Signal = "lexical"
_OF_FACTS: tuple[Signal, ...] = ("vector", "importance", "recency", "pinned")
"""Signals that facts show; all others are those of what was said in a conversation."""

_CUT = 10
_EVERYTHING = 100_000
_DAY_S = 86_400
_HALF_LIFE = "recall.weights.half_life_days"
_PLAIN: dict[Signal, float] = {
    signal: -1.0 if weight < 0 else 1.0 for signal, weight in RankingWeights().by_signal().items()
}
"""Weights under which the parts of a score are the signals themselves, up to their sign."""


class Candidates:
    """What a question may be answered with: the signals of each, and which are wanted."""

    def __init__(
        self, found: Sequence[Found[Fact]] | Sequence[Found[TurnRecord]], wanted: Sequence[bool]
    ) -> None:
        signals = [[each.parts.get(s, 0.0) / _PLAIN[s] for s in SIGNALS] for each in found]
        self._table = np.array(signals)
        self._wanted = np.array(wanted)
        self._days = np.array([_age(each.record) for each in found])

    def among_first(self, values: Values, cut: int) -> int:
        """Count the wanted among the first `cut` under some values, the others in force."""
        weights = get_settings().recall.weights.by_signal()
        weights |= {s: values[_setting(s)] for s in SIGNALS if _setting(s) in values}
        table = self._table
        if _HALF_LIFE in values:
            table = table.copy()
            table[:, SIGNALS.index("recency")] = 0.5 ** (self._days / values[_HALF_LIFE])
        scores = table @ np.array([weights[s] for s in SIGNALS])
        return int(self._wanted[np.argsort(-scores, kind="stable")[:cut]].sum())


async def questions(setup: Setup) -> Sequence[Case]:
    """Return every answerable question; it counts whether the first fact answers it."""
    memories = await filled_memories()
    asked = [each for each in read_questions() if each.want]
    return [await _answered_first(each, memories[each.of]) for each in asked]


async def _answered_first(question: Question, memory: UserMemory) -> Case:
    [vector] = await memory.scope.embedder.embed([question.ask])
    weights = RankingWeights(**_PLAIN)
    query = Query(text=question.ask, vector=vector, now=NOW.timestamp(), weights=weights)
    found = await memory.facts.search(query, _EVERYTHING)
    candidates = Candidates(found, [each.record.id in question.want for each in found])
    return Case(question.id, lambda values: Counts(candidates.among_first(values, 1), 1, 1))


async def turns(setup: Setup) -> Sequence[Case]:
    """Return the questions of LoCoMo's tuning conversations; their evidence counts."""
    if setup.locomo is None or not setup.locomo.exists():
        raise SkippedSuiteError("no LoCoMo file: pass `--locomo FILE` (its licence keeps it out)")
    embedder = load_embedder(get_settings().embedder)
    cases = []
    for conversation in load(setup.locomo):
        if conversation.name not in TUNED_ON:
            continue
        archive = Archive(conversation, embedder)
        await archive.fill(captions=False)
        for number, question in enumerate(conversation.questions):
            past = await archive.look_back(question.text, RankingWeights(**_PLAIN), _EVERYTHING)
            wanted = [said_in(each.record) in question.evidence for each in past.turns]
            candidates = Candidates(past.turns, wanted)
            case_id = f"{conversation.name}-{number}"
            cases.append(_evidence_found(case_id, candidates, len(question.evidence)))
    return cases


def _evidence_found(case_id: str, candidates: Candidates, wanted: int) -> Case:
    def count(values: Values) -> Counts:
        return Counts(candidates.among_first(values, _CUT), wanted, wanted)

    return Case(case_id, count)


def _age(record: Fact | TurnRecord) -> float:
    said = record.valid_from if isinstance(record, Fact) else record.said_at
    return (NOW - said).total_seconds() / _DAY_S


def _setting(signal: Signal) -> str:
    return f"recall.weights.{signal}"


def _range(signal: Signal) -> Range:
    is_penalty = _PLAIN[signal] < 0
    low, high = (-0.4, 0.0) if is_penalty else (0.0, 1.0)
    return Range(_setting(signal), low, high, 0.02)


TUNABLES = (
    Tunable(
        name="ranking",
        suite="retrieval",
        measure="share answered first",
        ranges=(*map(_range, _OF_FACTS), Range(_HALF_LIFE, 10, 360, 10)),
        cases=questions,
    ),
    Tunable(
        name="ranking-turns",
        suite="locomo",
        measure="share of evidence among the first ten",
        ranges=tuple(_range(s) for s in SIGNALS if s not in (_UNIT, *_OF_FACTS)),
        cases=turns,
        data="--locomo FILE",
    ),
)
