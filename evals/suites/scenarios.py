"""Whole conversations leave the right memory behind."""

from evals.harness.runner import CASES, Bar, CaseSuite, Score, Setup
from evals.harness.stage import score_scenarios

FILE = "scenarios.yaml"


async def score(setup: Setup) -> list[Score]:
    """Play every story."""
    return await score_scenarios(CASES / FILE, setup)


SUITE = CaseSuite(
    name="scenarios",
    promise="A whole conversation, over days, tools and threads, leaves the memory it should.",
    files=(FILE,),
    bar=Bar(tier="must", floor=0.5),
    score=score,
)
