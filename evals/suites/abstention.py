"""Memory reports that it does not know, and only then."""

from evals.harness.runner import Bar, CaseSuite, Score, Setup, scored
from evals.harness.scorers import same_label
from evals.suites.questions import MEMORY, QUESTIONS, Answered, ask_all


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
    bar=Bar(
        floor=0.5, tolerance=0.03, tuned="`found_min`, `weak_min`: `evals.tuning.recall_signal`"
    ),
    score=score,
)
