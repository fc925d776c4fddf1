"""Tunes when two statements are one fact, or worth asking about."""

from collections.abc import Sequence

from evals.harness.runner import Setup
from evals.suites.same_fact import Compared, compare_pairs, compare_rows, read_rows
from evals.tuning.tasks import Case, Range, Tunable, reaches
from memory_graph.language.likeness import shares_name_or_number
from memory_graph.settings import get_settings

NAMED = "named_pairs.jsonl"


async def pairs(setup: Setup) -> Sequence[Case]:
    """Return every labelled pair; they meet by how similar they read."""
    return list(map(_case, await compare_pairs(Setup())))


async def named_pairs(setup: Setup) -> Sequence[Case]:
    """Return pairs that share a name or number and read too little alike to be asked without."""
    low = get_settings().admission.low
    return [
        _case(pair)
        for pair in await compare_rows(read_rows(NAMED), Setup())
        if pair.similarity < low and shares_name_or_number(*pair.statements)
    ]


def _case(pair: Compared) -> Case:
    return reaches(pair.case_id, pair.similarity, pair.wanted == "one")


TUNABLES = (
    Tunable(
        name="auto",
        suite="same-fact",
        measure="F0.25 of one fact",
        beta=0.25,
        ranges=(Range("admission.auto", 0.6, 0.99),),
        cases=pairs,
    ),
    Tunable(
        name="low",
        suite="same-fact",
        measure="F2 of worth asking",
        beta=2.0,
        ranges=(Range("admission.low", 0.3, 0.9),),
        cases=pairs,
    ),
    Tunable(
        name="floor",
        suite="same-fact",
        measure="F2 of worth asking, of pairs that share a name or number",
        beta=2.0,
        ranges=(Range("admission.floor", 0.2, 0.7),),
        cases=named_pairs,
    ),
)
