"""An episode is linked to the one it continues, and to no other."""

import asyncio

from evals.harness.runner import Bar, CaseSuite, Score, Setup, scored
from evals.harness.scorers import same_label
from evals.suites.episode_pairs import Judged, measure
from memory_graph.embedding import load_embedder
from memory_graph.settings import get_settings


async def judge_pairs() -> list[Judged]:
    """Compare every labelled pair of exchanges once, whatever the threshold."""
    return await asyncio.to_thread(measure, load_embedder(get_settings().embedder))


async def score(setup: Setup) -> list[Score]:
    """Decide every pair with the capture policy in force."""
    threshold = get_settings().capture.parent_similarity
    return [_score(each, each.match.similarity > threshold) for each in await judge_pairs()]


def _score(pair: Judged, chains: bool) -> Score:
    wanted = "continues" if pair.label == "continues" else "apart"
    got = "continues" if chains else "apart"
    verdict = same_label(wanted, got, positive="continues")
    return scored(pair.case_id, verdict, wanted=wanted, got=got)


SUITE = CaseSuite(
    name="chaining",
    promise="An episode names the one it continues, and no other.",
    files=("episode_pairs.jsonl",),
    bar=Bar(floor=0.75, tolerance=0.03, tuned="theme matching by hand; threshold: `tune`"),
    score=score,
)
