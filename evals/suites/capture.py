"""Is an exchange kept as an episode exactly when something came of it?"""

from evals.capture import decide, load
from evals.harness import Bar, CaseSuite, Score, Setup, scored
from evals.scorers import same_label
from memory_graph.policy.capture import CapturePolicy
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
        tuned="cue phrases by hand, weights and `notability_min`: `memory-graph tune`",
    ),
    score=score,
)
