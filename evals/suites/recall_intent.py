"""Is a request to look back recognised, and none imagined?"""

from evals.harness import Bar, CaseSuite, Score, Setup, scored
from evals.recall_intent import Utterance, load_utterances
from evals.scorers import same_label
from memory_graph.policy.recall_intent import detect_recall_intent


async def score(setup: Setup) -> list[Score]:
    """Ask the detector about every message."""
    return [_score(each) for each in [*load_utterances("tune"), *load_utterances("check")]]


def _score(utterance: Utterance) -> Score:
    found = detect_recall_intent(utterance.text).grade != "none"
    wanted = "recall" if utterance.is_recall else "none"
    got = "recall" if found else "none"
    verdict = same_label(wanted, got, positive="recall")
    return scored(utterance.id, verdict, wanted=wanted, got=got)


SUITE = CaseSuite(
    name="recall-intent",
    promise="Asking about the past brings up the past; anything else does not.",
    files=("recall_intent.jsonl",),
    bar=Bar(
        floor=0.85,
        tuned="rules by hand, weights by `evals.train_recall_intent`, threshold by `tune`",
    ),
    score=score,
)
