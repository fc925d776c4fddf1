"""Do whole conversations leave the memory they should?"""

from evals.harness import CASES, Bar, CaseSuite, Score, Setup
from evals.stage import score_scenarios

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
