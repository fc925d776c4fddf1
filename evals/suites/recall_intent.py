"""A message that asks for what was told or happened is known as one, in any language."""

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from evals.harness.runner import Bar, CaseSuite, Score, Setup, Split, scored
from evals.harness.scorers import same_label
from evals.tuning.heads.cases import HANDS, Case, load_cases
from memory_graph.embedding import load_embedder
from memory_graph.recall.questions import read_question
from memory_graph.settings import get_settings
from memory_graph.store.values import Query

OLDER = "recall_intent"
_NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)


async def score(setup: Setup) -> list[Score]:
    """Read every message as recall does: sealed ones, and older ones that the heads learnt from."""
    sealed = "sealed" if setup.held_back else None
    cases = [case for case in load_cases() if case.split == sealed or case.source == OLDER]
    return [await _score(case) for case in setup.some(cases, _name)]


def _name(case: Case) -> str:
    return f"{case.source}:{case.line}"


async def _score(case: Case) -> Score:
    embedder = load_embedder(get_settings().embedder)
    [vector] = await embedder.embed([case.text])
    query = Query(text=case.text, now=_NOW.timestamp(), vector=vector)
    asked = await read_question(query, embedder, _NOW, ZoneInfo("UTC"))
    wanted = "recall" if case.labels["asks"] else "none"
    got = "recall" if asked.grade == "explicit" else "none"
    verdict = same_label(wanted, got, positive="recall")
    part: Split = "check" if case.split == "sealed" else "tune"
    return replace(scored(_name(case), verdict, wanted=wanted, got=got), part=part)


SUITE = CaseSuite(
    name="recall-intent",
    promise="Asking for what was told or happened is recognised; anything else is not.",
    files=(*(f"heads/{name}.jsonl" for name in HANDS), f"{OLDER}.jsonl"),
    bar=Bar(floor=0.85, tuned="the heads: evals/tuning/heads/README.md"),
    score=score,
)
