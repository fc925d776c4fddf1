"""Judge how far the best lines answer a question: `found`, `weak` or `none`."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory_graph.language import questions as asking
from memory_graph.language import relatives
from memory_graph.language.mentions import names_in
from memory_graph.language.words import folded, words_of
from memory_graph.policies import RecallPolicy
from memory_graph.recall.lines import Line, is_about_another, least, text_of
from memory_graph.recall.questions import Sought
from memory_graph.records import Fact, JudgedBy, Reach, RecallFound, TurnRecord

LOOKED_AT = 3  # lines in which the names, numbers and nouns of a question must occur
_UNKNOWN = 3.0
"""How many other questions a line fits better, where its vector is not known: rather too many."""

_MIXED = 160
"""Characters from which a text tells of many things, and its meaning is that of none: somebody who
introduces themselves in one long sentence has told where they work.
"""

_NUMBER = re.compile(r"\b\w*\d[\w.]*")
"""Anything with a digit: `30`, `bak02`."""

_BESIDE = 0.5
"""As much as a line counts that is beside the question: it may be told, and never as found."""

_BY_REACH: dict[Reach, RecallFound] = {"asked": "found", "around": "weak", "anytime": "none"}

_BIAS = -1.14
COUNTS: Mapping[str, float] = {
    "fit": 2.42,
    "words": 1.76,
    "meaning": 2.42,
    "value": 0.41,
    "outdone": -2.29,
    "is_of_somebody": -1.34,
}
"""What each sign counts: `python -m evals.tuning.recall_signal --fit` prints them."""


@dataclass(frozen=True, kw_only=True)
class Signs:
    """What speaks for the best lines answering a question."""

    is_elsewhere: bool = False
    """There is no line, or none is about the relative asked about."""

    fit: float = 0.0  # how well the first line fits, 0–1
    words: float = 0.0  # the share of the question's words, by rarity, in the first line
    meaning: float = 0.0  # how alike the nearest of the first lines is in meaning
    value: float = 0.0
    """1 if the first line has a word of the question and a value of the kind asked for."""

    outdone: float = math.log10(1 + _UNKNOWN)
    """The magnitude of how many other people's questions the nearest of the first lines fits
    better: what nothing answers is near to something by chance, which is nearer to much else.
    """

    is_of_somebody: bool = False
    """It asks about somebody by name or as a relative, of whom any line is found easily."""

    is_beside: bool = False
    """A near miss, never an answer: the first line is about another one or another time than is
    asked, a name or a number of the question is in no line, an owner and what is theirs are in none
    together (`the dentist's deadline`), or the first line lacks the day or the amount, or all of
    them the relative's name, that is asked for.
    """

    least: float = 0.0
    """How sure memory is at least: something was said in the time asked about, or beside a name."""

    @property
    def confidence(self) -> float:
        """How likely the lines answer the question, 0–1."""
        if self.is_elsewhere:
            return 0.0
        odds = _BIAS + sum(weight * float(getattr(self, name)) for name, weight in COUNTS.items())
        sure = min(1 / (1 + math.exp(-odds)), _BESIDE if self.is_beside else 1.0)
        return max(sure, self.least)


def read_signs(sought: Sought, lines: Sequence[Line]) -> Signs:
    """Return what the best lines have of a question."""
    question, best = sought.text, lines[:LOOKED_AT]
    said = [_words(line) for line in best]
    numbers = _NUMBER.findall(question)
    named = {word for name in (*names_in(question), *numbers) for word in words_of(name)}
    told_of = (relatives.tells_of(_with_kind(line), each) for each in sought.kin for line in lines)
    if not best or (sought.kin and not any(told_of)):
        return Signs(is_elsewhere=True)
    has_value = bool(sought.values and best[0].words) and sought.is_told_by(text_of(best[0].record))
    owned = set(words_of(" ".join(asking.owner_asked(question) or ()), sought.language))
    is_mixed = any(len(text_of(line.record)) >= _MIXED for line in best)
    known = least(*(line.outdone for line in best))
    outdone = _UNKNOWN if known is None or (sought.attribute and is_mixed) else known
    return Signs(
        fit=best[0].relevance,
        words=best[0].words,
        meaning=max(line.meaning for line in best),
        value=float(has_value),
        outdone=math.log10(1 + outdone),
        is_of_somebody=bool(named or sought.kin),
        is_beside=not named <= set().union(*said)
        or is_about_another(best[0].record, sought)
        or (sought.is_former and not best[0].is_past)
        or not any(owned <= words for words in said)
        or (sought.wants_day_or_amount and not has_value)
        or _is_unnamed(sought, best),
    )


def _is_unnamed(sought: Sought, best: Sequence[Line]) -> bool:
    """Say whether the name of somebody is asked for, and no line has it or speaks of them."""
    if not asking.asks_for_name(sought.text):
        return False
    if sought.kin:
        return not any(names_whom_is_asked(line, sought) for line in best)
    whose = set(words_of(asking.without_naming(sought.text), sought.language))
    return bool(whose) and whose.isdisjoint(set().union(*(_words(line) for line in best)))


def names_whom_is_asked(line: Line, sought: Sought) -> bool:
    """Say whether a line has a name beside the relative whose name is asked for."""
    kin = sought.kin if asking.asks_for_name(sought.text) else ()
    owners = frozenset(folded(name) for name in names_in(sought.text))
    return any(relatives.names_relative(_with_kind(line), each, owners) for each in kin)


def _with_kind(line: Line) -> str:
    kind = line.record.entity_kind if isinstance(line.record, Fact) else ""
    return f"{text_of(line.record)} {kind or ''}"


def _words(line: Line) -> set[str]:
    speaker = line.record.speaker if isinstance(line.record, TurnRecord) else ""
    return {*words_of(text_of(line.record)), *words_of(speaker)}


@dataclass(frozen=True, kw_only=True)
class RecallVerdict:
    """Whether memory holds what was asked for, and what says so."""

    found: RecallFound
    best: float
    threshold: float
    reason: JudgedBy = "relevance"


def judge_recall(
    best: float, policy: RecallPolicy, *, at_the_time: Reach | None = None
) -> RecallVerdict:
    """Say whether the best hit answers the question, might, or does not.

    It is judged by two decimals, as it is shown: 0.41 is not less than 0.41.

    Args:
        best: The relevance of the best hit.
        policy: The thresholds.
        at_the_time: For a question that names a time and no topic, where something was
            found; words say nothing then.
    """
    best, threshold = round(best, 2), policy.found_min
    if at_the_time is not None:
        found = _BY_REACH[at_the_time]
        return RecallVerdict(found=found, best=best, threshold=threshold, reason="time")
    found = "weak" if best >= policy.weak_min else "none"
    return RecallVerdict(
        found="found" if best >= threshold else found, best=best, threshold=threshold
    )
