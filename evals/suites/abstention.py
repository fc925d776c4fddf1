"""Does memory say that it does not know, and only then?"""

from evals.asking import MEMORY, QUESTIONS, Answered, ask_all
from evals.harness import Bar, CaseSuite, Score, Setup, scored
from evals.scorers import same_label


async def score(setup: Setup) -> list[Score]:
    """Ask every question, the unanswerable ones too."""
    return [_score(answer) for answer in await ask_all()]


def _score(answer: Answered) -> Score:
    wanted = "found" if answer.question.want else "abstain"
    got = "found" if answer.recalled.verdict.found == "found" else "abstain"
    verdict = same_label(wanted, got, positive="abstain")
    return scored(answer.question.id, verdict, wanted=wanted, got=got)


SUITE = CaseSuite(
    name="abstention",
    promise="A question memory cannot answer is not called answered.",
    files=(MEMORY, QUESTIONS),
    bar=Bar(floor=0.5, tolerance=0.03, tuned="`found_min`, `weak_min`: `memory-graph tune`"),
    score=score,
)
