"""Tunes which patterns fit a situation, and when two trials are the same."""

import json
from collections.abc import Sequence

from langgraph.store.memory import InMemoryStore

from evals.harness.runner import CASES, Setup
from evals.harness.scorers import Counts
from evals.suites.pattern_situations import Answer, answer, fill, read_situations
from evals.tuning.tasks import Case, Range, Tunable, Values, only, reaches
from memory_graph.language.likeness import overlap
from memory_graph.patterns.search import RELEVANT
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of

TRIALS = "trial_pairs.jsonl"


async def situations(setup: Setup) -> Sequence[Case]:
    """Return every situation; patterns are brought up that are relevant enough."""
    memory = memory_of(Owner("eval-patterns"), InMemoryStore())
    await fill(memory)
    return [_brought_up(await answer(memory, each)) for each in read_situations()]


async def trials(setup: Setup) -> Sequence[Case]:
    """Return pairs of trials; they are of one action where triggers and actions are alike."""
    rows = map(json.loads, (CASES / TRIALS).read_text(encoding="utf-8").splitlines())
    return [reaches(row["id"], _likeness(row["one"], row["other"]), row["same"]) for row in rows]


def _brought_up(answered: Answer) -> Case:
    fits = answered.situation.fits

    def count(values: Values) -> Counts:
        fitting = {name for name, relevance in answered.found.items() if relevance >= only(values)}
        return Counts(len(fitting & fits), len(fitting), len(fits))

    return Case(answered.situation.case_id, count)


def _likeness(one: dict[str, str], other: dict[str, str]) -> float:
    return min(overlap(one[part], other[part]) for part in ("when", "did"))


TUNABLES = (
    Tunable(
        name="relevance",
        suite="patterns",
        measure="F1 of fitting",
        ranges=(Range("patterns.search.RELEVANT", 0.1, 0.6, constant=RELEVANT),),
        cases=situations,
    ),
    Tunable(
        name="briefing",
        suite="patterns",
        measure="F1 of fitting",
        ranges=(Range("bootstrap.min_relevance", 0.1, 0.6),),
        cases=situations,
    ),
    Tunable(
        name="likeness",
        suite="patterns",
        measure="F0.5 of the same trial",
        beta=0.5,
        ranges=(Range("learning.min_likeness", 0.1, 1.0, 0.05),),
        cases=trials,
    ),
)
