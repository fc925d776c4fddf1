"""Is a request to look back recognised, and none imagined?"""

from evals.harness import Bar, CaseSuite, Score, Setup, scored
from evals.recall_intent import Utterance, load_utterances, read_intents
from evals.scorers import same_label
from memory_graph.policy.recall_intent import RecallIntent


async def score(setup: Setup) -> list[Score]:
    """Ask the detector about every message."""
    everything = [*load_utterances("tune"), *load_utterances("check")]
    return [_score(*each) for each in zip(everything, read_intents(everything), strict=True)]


def _score(utterance: Utterance, intent: RecallIntent) -> Score:
    wanted = "recall" if utterance.is_recall else "none"
    got = "recall" if intent.grade != "none" else "none"
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
