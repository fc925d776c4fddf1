"""Two statements are treated as one fact exactly when they are one."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evals.harness.runner import CASES, Bar, CaseSuite, Score, Setup, scored
from evals.harness.scorers import same_label
from evals.suites.fact_cases import Judgement, load
from memory_graph.embedding import load_embedder
from memory_graph.errors import ExtractionError, ModelUnavailableError
from memory_graph.facts.model_reader import ask_same_facts
from memory_graph.language.likeness import is_same_fact
from memory_graph.llm.models import patience_with
from memory_graph.policies import AdmissionPolicy
from memory_graph.settings import get_settings

FILES = ("similarity_pairs.jsonl", "same_fact_pairs.jsonl")
JUDGED = "same_fact.jsonl"
_ONE_FACT = frozenset({"same", "update", "one"})


@dataclass(frozen=True)
class Compared:
    """A labelled pair, how similar it reads, and what the judge says when asked."""

    case_id: str
    wanted: str
    similarity: float
    judged_same: bool | None
    """Nothing where no usable answer came."""

    statements: tuple[str, str]

    def decide(self, policy: AdmissionPolicy) -> str:
        """Decide as admission does for two statements without keys."""
        if self.similarity >= policy.auto:
            return "one"
        if self.similarity < policy.low:
            return "two"
        return {True: "one", False: "two", None: "no answer"}[self.judged_same]


async def compare_pairs(setup: Setup) -> list[Compared]:
    """Measure every labelled pair once, whatever the thresholds."""
    return await compare_rows(setup.some(_rows(), lambda row: row["id"]), setup)


async def compare_rows(rows: Sequence[dict[str, str]], setup: Setup) -> list[Compared]:
    """Measure labelled pairs: how similar they read, and what the judge says of them."""
    settings = get_settings()
    embedder = load_embedder(settings.embedder)
    left = await embedder.embed([row["a"] for row in rows])
    right = await embedder.embed([row["b"] for row in rows])
    pairs = [(row["a"], row["b"]) for row in rows]
    judged = [await _judge(pair, setup, patience_with(setup.model).episode_s) for pair in pairs]
    return [
        Compared(
            row["id"],
            "one" if row["label"] in _ONE_FACT else "two",
            embedder.scale.similarity(sum(x * y for x, y in zip(a, b, strict=True))),
            same,
            pair,
        )
        for row, pair, a, b, same in zip(rows, pairs, left, right, judged, strict=True)
    ]


async def _judge(pair: tuple[str, str], setup: Setup, timeout_s: float) -> bool | None:
    """Ask the judge; nothing if its answer does not come or cannot be used."""
    if setup.model is None:
        return is_same_fact(*pair)
    try:
        [same], _ = await ask_same_facts([pair], setup.model, timeout_s=timeout_s)
    except (ExtractionError, ModelUnavailableError):
        return None
    return same


def read_rows(file: str) -> list[dict[str, str]]:
    """Return the labelled pairs of a file."""
    return [json.loads(line) for line in (CASES / file).read_text("utf-8").splitlines()]


def _rows() -> Iterator[dict[str, str]]:
    for file in FILES:
        yield from read_rows(file)
    for case in load(JUDGED, Judgement.model_validate_json):
        label = "one" if case.same else "two"
        yield {"id": case.id, "label": label, "a": case.old, "b": case.new}


async def score(setup: Setup) -> list[Score]:
    """Decide every pair with the admission policy in force."""
    policy = get_settings().admission
    return [_score(each, each.decide(policy)) for each in await compare_pairs(setup)]


def _score(pair: Compared, got: str) -> Score:
    verdict = same_label(pair.wanted, got, positive="one")
    return scored(pair.case_id, verdict, wanted=pair.wanted, got=got)


SUITE = CaseSuite(
    name="same-fact",
    promise="Statements without a key meet only when they are about one fact.",
    files=(*FILES, JUDGED),
    bar=Bar(floor=0.3, tolerance=0.03, tuned="`auto`, `low`, `floor`: `evals tune`"),
    score=score,
)
