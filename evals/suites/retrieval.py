"""The fact that answers a question is among the first five recalled."""

from evals.harness.runner import Bar, CaseSuite, Score, Setup, scored
from evals.harness.scorers import found_among
from evals.suites.questions import MEMORY, QUESTIONS, ask_all

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
    bar=Bar(floor=0.75, tolerance=0.02, tuned="weights of what facts show: `evals tune`"),
    score=score,
)
