"""Is the fact that answers a question among the first five recalled?"""

from evals.asking import MEMORY, QUESTIONS, ask_all
from evals.harness import Bar, CaseSuite, Score, Setup, scored
from evals.scorers import found_among

CUT = 5


async def score(setup: Setup) -> list[Score]:
    """Ask every question that memory can answer."""
    return [
        scored(answer.question.id, found_among(answer.question.want, answer.ranked, CUT))
        for answer in await ask_all()
        if answer.question.want
    ]


SUITE = CaseSuite(
    name="retrieval",
    promise="What answers a question is among the first five memories.",
    files=(MEMORY, QUESTIONS),
    bar=Bar(floor=0.75, tolerance=0.02, tuned="weights of what facts show: `memory-graph tune`"),
    score=score,
)
