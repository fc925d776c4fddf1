"""An exchange becomes an episode exactly when it had an outcome."""

from evals.harness.runner import Bar, CaseSuite, Score, Setup, scored
from evals.harness.scorers import same_label
from evals.suites.exchanges import decide, load
from memory_graph.policies import CapturePolicy
from memory_graph.settings import get_settings


async def score(setup: Setup) -> list[Score]:
    """Decide every exchange with the capture policy in force."""
    return judge(get_settings().capture)


def judge(policy: CapturePolicy) -> list[Score]:
    """Decide every exchange with a policy."""
    scores = []
    for exchange in load():
        capture = decide(exchange, policy)
        wanted, got = _label(exchange.worth), _label(capture.keep)
        verdict = same_label(wanted, got, positive="keep")
        scores.append(scored(exchange.case_id, verdict, wanted=wanted, got=got))
    return scores


def _label(keep: bool) -> str:
    return "keep" if keep else "skip"


SUITE = CaseSuite(
    name="capture",
    promise="Decisions, results and milestones become episodes; routine does not.",
    files=("exchanges.jsonl",),
    bar=Bar(
        floor=0.75,
        tuned="cue phrases by hand, weights and `notability_min`: `evals tune`",
    ),
    score=score,
)
