"""Does a message ask the agent to look back, and how plainly?"""

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from memory_graph.policy.recall_intent import cues, lapses, other_intents, retelling
from memory_graph.policy.recall_intent.features import (
    ADVICE_FEATURES,
    PAST_FEATURES,
    find_features,
)
from memory_graph.policy.recall_intent.names import asks_about_named_person, asks_to_tell_of
from memory_graph.policy.recall_intent.weights import BIAS, WEIGHTS
from memory_graph.policy.recall_intent.wording import Question, Wording, read_wording

RecallGrade = Literal["none", "implicit", "explicit"]
RecallReason = Literal[
    "explicit_cue",
    "question_about_past_talk",
    "past_question_about_us",
    "question_about_own_facts",
    "question_about_named_person",
    "no_question",
    "not_about_us",
    "instruction",
    "task",
    "rhetorical",
    "pasted",
    "advice",
    "general",
]

MAX_WORDS = 90
"""A longer message brings material along; only a plain cue in its first or last sentence counts."""

THRESHOLD = 0.64
"""At or above this score a question about oneself is a recall; above a half, as a needless
search is paid on ordinary turns.
Kept by `memory-graph tune --what intent`: `evals/tuning/intent.md`.
"""


@dataclass(frozen=True, kw_only=True)
class RecallIntent:
    """Whether a message asks to look back, and why we think so."""

    grade: RecallGrade
    reason: RecallReason
    score: float
    """How sure it is a recall, 0–1."""


def detect_recall_intent(
    text: str, *, meaning: float | None = None, known_names: Collection[str] = ()
) -> RecallIntent:
    """Return whether `text` asks to look back, with the reason and a score.

    Args:
        text: One message of the user.
        meaning: What its vector says (`weigh_meaning`), if there is one; it counts beside the
            words where no cue settles a question.
        known_names: Lower-cased names of people and pets in the user's memory.
    """
    wording = read_wording(text)
    if len(wording.sentences) == 1 and asks_to_tell_of(wording.sentences[0], known_names):
        return _named()
    settled = _settle_by_cues(wording)
    if settled is not None:
        return settled
    questions = _questions_about_us(wording)
    if questions:
        return max((_weigh(one, meaning) for one in questions), key=lambda found: found.score)
    return _settle_by_names(wording, known_names)


def undecided_questions(text: str) -> tuple[Question, ...]:
    """Return the questions of `text` that no cue settles and that involve the user."""
    wording = read_wording(text)
    return () if _settle_by_cues(wording) else _questions_about_us(wording)


def is_reckoned(question: Question) -> bool:
    """Return whether `question` counts days or sums of the user's own past, with no lead-in."""
    return bool(cues.RECKONING.search(question.asked)) and not question.lead_in


def score_recall(features: Collection[str], meaning: float = 0.0) -> float:
    """Return how sure a question with these `features` is a recall, 0–1; the evidence adds up."""
    words = BIAS + math.fsum(WEIGHTS[name] for name in features)
    return 1 / (1 + math.exp(-words - meaning))


def _settle_by_cues(wording: Wording) -> RecallIntent | None:
    if not wording.sentences:
        return _none("no_question")
    if wording.words > MAX_WORDS or wording.has_code:
        return _settle_by_edges(wording)
    first = wording.sentences[0]
    if retelling.RETELLING.search(first):
        return _explicit("explicit_cue")
    for reason, cue in other_intents.OPENINGS.items():
        if cue.search(first):
            return _none(reason)
    if other_intents.TASK.search(wording.sentences[-1]) and not cues.ASKING.search(first):
        return _none("task")
    return _settle_by_questions(wording)


def _settle_by_edges(wording: Wording) -> RecallIntent:
    if cues.ASKING.search(wording.sentences[0]) or cues.ASKING.search(wording.sentences[-1]):
        return _explicit("explicit_cue")
    return _none("pasted")


def _settle_by_questions(wording: Wording) -> RecallIntent | None:
    if any(other_intents.RHETORICAL.search(sentence) for sentence in wording.sentences):
        return _none("rhetorical")
    if any(cues.ASKING.search(sentence) for sentence in wording.sentences):
        return _explicit("explicit_cue")
    points_back = any(cues.POINTING.search(sentence) for sentence in wording.sentences)
    if points_back and cues.REMEMBERING.search(wording.text):
        return _explicit("question_about_past_talk")
    asked = wording.questions[-1].asked if wording.questions else ""
    if other_intents.LOOKS_FORWARD.search(asked):
        return None
    if any(lapses.LAPSE.search(sentence) for sentence in wording.sentences):
        return _explicit("explicit_cue")
    if points_back and (asked or lapses.LOST.search(wording.text)):
        return _explicit("question_about_past_talk")
    return None if asked else _none("no_question")


def _settle_by_names(wording: Wording, known_names: Collection[str]) -> RecallIntent:
    # A lead-in without the user in it is a story or a sum: "Sarah has 5 pens. How many ...".
    is_alone = len(wording.sentences) == 1
    if is_alone and asks_about_named_person(wording.questions[0].asked, known_names):
        return _named()
    return _none("not_about_us")


def _questions_about_us(wording: Wording) -> tuple[Question, ...]:
    return wording.questions if cues.ABOUT_US.search(wording.text) else ()


def _weigh(question: Question, meaning: float | None) -> RecallIntent:
    if is_reckoned(question):
        return RecallIntent(grade="implicit", reason="past_question_about_us", score=0.8)
    features = find_features(question.asked, question.lead_in)
    score = score_recall(features, meaning or 0.0)
    if score >= THRESHOLD:
        is_past = not features.isdisjoint(PAST_FEATURES)
        reason: RecallReason = "past_question_about_us" if is_past else "question_about_own_facts"
        return RecallIntent(grade="implicit", reason=reason, score=score)
    is_advice = not features.isdisjoint(ADVICE_FEATURES)
    return RecallIntent(grade="none", reason="advice" if is_advice else "general", score=score)


def _named() -> RecallIntent:
    return RecallIntent(grade="implicit", reason="question_about_named_person", score=0.7)


def _explicit(reason: RecallReason) -> RecallIntent:
    return RecallIntent(grade="explicit", reason=reason, score=0.95)


def _none(reason: RecallReason) -> RecallIntent:
    return RecallIntent(grade="none", reason=reason, score=0.02)
