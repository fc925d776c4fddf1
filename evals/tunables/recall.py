"""When is a question about the past, and when does memory answer it?"""

from collections.abc import Sequence

from evals.asking import ask_all
from evals.harness import Setup
from evals.recall_intent import Utterance, load_utterances, read_intents
from evals.tasks import Case, Range, Tunable, judged, reaches, stays_below
from evals.train_recall_intent import score_left_out
from memory_graph.policy.recall_intent import RecallIntent
from memory_graph.policy.recall_intent.detection import THRESHOLD

_WEIGHED = frozenset({"past_question_about_us", "question_about_own_facts", "advice", "general"})
"""Reasons that a score was weighed for; the others are settled by a cue."""


async def unanswerable(setup: Setup) -> Sequence[Case]:
    """Return every question; it is left open where its best hit is not relevant enough."""
    return [stays_below(a.question.id, a.best, not a.question.want) for a in await ask_all()]


async def answerable(setup: Setup) -> Sequence[Case]:
    """Return every question; something is known where its best hit is relevant enough."""
    return [reaches(a.question.id, a.best, bool(a.question.want)) for a in await ask_all()]


async def messages(setup: Setup) -> Sequence[Case]:
    """Return every message; one that no cue settles looks back where it scores enough.

    Those of the tune split are scored by weights that were fitted without them.
    """
    everything = [*load_utterances("tune"), *load_utterances("check")]
    left_out = score_left_out()
    return [
        _looks_back(each, intent, left_out.get(each.id, intent.score))
        for each, intent in zip(everything, read_intents(everything), strict=True)
    ]


def _looks_back(utterance: Utterance, intent: RecallIntent, score: float) -> Case:
    if intent.reason in _WEIGHED:
        return reaches(utterance.id, score, utterance.is_recall)
    settled = judged(intent.grade != "none", utterance.is_recall)
    return Case(utterance.id, lambda values: settled)


TUNABLES = (
    Tunable(
        name="found",
        suite="abstention",
        measure="F1 of abstain",
        ranges=(Range("recall.found_min", 0.1, 0.9),),
        cases=unanswerable,
    ),
    Tunable(
        name="weak",
        suite="abstention",
        measure="F1 of something known",
        ranges=(Range("recall.weak_min", 0.05, 0.7),),
        cases=answerable,
    ),
    Tunable(
        name="intent",
        suite="recall-intent",
        measure="F0.5 of looking back",
        beta=0.5,
        ranges=(Range("recall_intent.THRESHOLD", 0.2, 0.8, constant=THRESHOLD),),
        cases=messages,
    ),
)
