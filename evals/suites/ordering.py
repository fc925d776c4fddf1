"""The past is retold in the order in which it happened."""

from evals.harness.runner import CASES, Bar, CaseSuite, Score, Setup
from evals.harness.stage import score_scenarios

FILE = "ordering.yaml"


async def score(setup: Setup) -> list[Score]:
    """Play every story."""
    return await score_scenarios(CASES / FILE, setup)


SUITE = CaseSuite(
    name="ordering",
    promise="The past is retold in the order in which it happened.",
    files=(FILE,),
    bar=Bar(tier="must", floor=0.5),
    score=score,
)
