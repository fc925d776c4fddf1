"""Which numbers can be tuned, and on which labelled cases?"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise

from evals.asking import Answered, ask_all
from evals.capture import Exchange, load
from evals.harness import Setup
from evals.scorers import Counts, same_label
from evals.suites.same_fact import compare_pairs
from evals.tuner import Case, Knob, Task, Values
from memory_graph.policy.capture import CapturePolicy, Evidence, decide_capture
from memory_graph.policy.ranking import SIGNALS, RankingWeights, Signal
from memory_graph.policy.signals import Signals, read_signals
from memory_graph.settings import Settings, get_settings, variable_names

_ANY_TIME = datetime(2026, 1, 1, tzinfo=UTC)
_NO, _HIT, _FALSE, _MISSED = Counts(), Counts(1, 1, 1), Counts(0, 1, 0), Counts(0, 0, 1)


async def same_fact_alone() -> Task:
    """`auto`: from which similarity on may two statements meet without being asked about?"""
    cases = [
        Case(pair.case_id, partial(_reaches, pair.similarity, pair.wanted == "one", "auto"))
        for pair in await compare_pairs(Setup())
    ]
    knob = _knob("admission.auto", 0.6, 0.99)
    return Task(
        name="auto",
        suite="same-fact",
        measure="F0.25 of one fact",
        beta=0.25,
        knobs=(knob,),
        cases=tuple(cases),
    )


async def same_fact_asked() -> Task:
    """`low`: from which similarity on is it worth asking? Missing one costs more than asking."""
    cases = [
        Case(pair.case_id, partial(_reaches, pair.similarity, pair.wanted == "one", "low"))
        for pair in await compare_pairs(Setup())
    ]
    knob = _knob("admission.low", 0.3, 0.9)
    return Task(
        name="low",
        suite="same-fact",
        measure="F2 of worth asking",
        beta=2.0,
        knobs=(knob,),
        cases=tuple(cases),
    )


async def notability() -> Task:
    """`notability_min`: how notable must an exchange be to become an episode?"""
    policy = get_settings().capture
    cases = [Case(e.case_id, partial(_keeps, _turns(e), e.worth, policy)) for e in load()]
    knob = _knob("capture.notability_min", 0.2, 0.9)
    return Task(
        name="capture",
        suite="capture",
        measure="F0.5 of keep",
        beta=0.5,
        knobs=(knob,),
        cases=tuple(cases),
    )


async def answered() -> Task:
    """`found_min`: how relevant must the best memory be for a question to count as answered?"""
    cases = [
        Case(a.question.id, partial(_abstains, a.best, not a.question.want))
        for a in await ask_all()
    ]
    knob = _knob("recall.found_min", 0.1, 0.9)
    return Task(
        name="found",
        suite="abstention",
        measure="F1 of abstain",
        beta=1.0,
        knobs=(knob,),
        cases=tuple(cases),
    )


async def nothing_known() -> Task:
    """`weak_min`: below which relevance does memory hold nothing about a question at all?"""
    cases = [
        Case(a.question.id, partial(_reaches, a.best, bool(a.question.want), "weak_min"))
        for a in await ask_all()
    ]
    knob = _knob("recall.weak_min", 0.05, 0.7)
    return Task(
        name="weak",
        suite="abstention",
        measure="F1 of something known",
        beta=1.0,
        knobs=(knob,),
        cases=tuple(cases),
    )


async def ranking() -> Task:
    """`vector`: how much does meaning count beside words, whose weight stays 0.6?"""
    everything = RankingWeights(**dict.fromkeys(_POSITIVE, 1.0))
    answers = [a for a in await ask_all(everything) if a.question.want]
    fixed = get_settings().recall.weights
    cases = [Case(a.question.id, partial(_puts_first, a, fixed)) for a in answers]
    knob = Knob(
        setting="recall.weights.vector",
        variable="MEMORY_RERANK_WEIGHTS",
        current=fixed.vector,
        low=0.0,
        high=1.5,
        step=0.05,
    )
    return Task(
        name="ranking",
        suite="retrieval",
        measure="share answered first",
        beta=1.0,
        knobs=(knob,),
        cases=tuple(cases),
    )


TASKS: dict[str, Callable[[], Awaitable[Task]]] = {
    "auto": same_fact_alone,
    "low": same_fact_asked,
    "capture": notability,
    "found": answered,
    "weak": nothing_known,
    "ranking": ranking,
}
_POSITIVE: tuple[Signal, ...] = ("lexical", "vector", "importance", "recency", "pinned")


def _knob(setting: str, low: float, high: float) -> Knob:
    section, _, name = setting.partition(".")
    current = float(getattr(getattr(get_settings(), section), name))
    variables = dict(variable_names(Settings))
    return Knob(
        setting=setting, variable=variables[section, name], current=current, low=low, high=high
    )


def _reaches(similarity: float, is_one: bool, name: str, values: Values) -> Counts:
    [threshold] = [value for setting, value in values.items() if setting.endswith(f".{name}")]
    proposed = similarity >= threshold
    if proposed:
        return _HIT if is_one else _FALSE
    return _MISSED if is_one else _NO


def _abstains(best: float, should: bool, values: Values) -> Counts:
    got = "abstain" if best < values["recall.found_min"] else "found"
    wanted = "abstain" if should else "found"
    return same_label(wanted, got, positive="abstain").counts or _NO


def _turns(exchange: Exchange) -> tuple[Signals, ...]:
    said = exchange.said
    starts = [*(n for n, one in enumerate(said) if one.role == "user"), len(said)]
    return tuple(read_signals(said[a:b], earlier=said[:a]) for a, b in pairwise(starts))


def _keeps(turns: Sequence[Signals], worth: bool, policy: CapturePolicy, values: Values) -> Counts:
    tried = policy.model_copy(update={"notability_min": values["capture.notability_min"]})
    evidence = (Evidence(signals=signals, now=_ANY_TIME) for signals in turns)
    kept = any(decide_capture(each, tried).keep for each in evidence)
    if kept:
        return _HIT if worth else _FALSE
    return _MISSED if worth else _NO


def _puts_first(answer: Answered, fixed: RankingWeights, values: Values) -> Counts:
    """Count whether the first fact answers, ranked anew from the parts of each score."""
    weights = fixed.by_signal() | {"vector": values["recall.weights.vector"]}
    first = max(
        answer.recalled.facts,
        key=lambda found: sum(weights[s] * found.parts.get(s, 0.0) for s in SIGNALS),
    )
    right = first.record.id in answer.question.want
    return Counts(int(right), 1, 1)
