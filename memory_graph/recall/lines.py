"""Put facts, episodes and turns into one order, and judge how far the best answer the message."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from memory_graph.language import sentences
from memory_graph.language.mentions import names_in, values_in
from memory_graph.language.words import folded, language_of, words_of
from memory_graph.policies import RecallPolicy
from memory_graph.ranking import score_fit
from memory_graph.records import (
    Episode,
    Fact,
    FactVersion,
    JudgedBy,
    Reach,
    RecallFound,
    TurnRecord,
)
from memory_graph.store.collection import Found

Remembered = Fact | Episode | TurnRecord
AnyFound = Found[Fact] | Found[Episode] | Found[TurnRecord]

_AS_GOOD = 0.88
"""Share of the best fit from which a line is as good, and the newer comes first."""

_WHOLE = 280
"""Characters up to which a message is told whole rather than by the sentence that fits."""

_SAME = 0.8  # share of a turn's words in a fact from which the fact says all of it
_EPISODE = -0.05  # own words before what was made of them
_SAYS = re.compile(r"\bThe (?:user said|assistant answered):")

_NOTABLE = 0.05  # what tells something worth knowing before small talk
_IN_TIME = 2.0
"""What the time asked about counts here, beside what it counts in the search."""

_ASSISTANT = -0.05  # what the user said before what was answered
_OF_ANOTHER = -0.5
"""What a fact about somebody else loses where the user asks of themselves alone."""

_OF_KIND = 0.15
"""What a day counts in a line for a question that asks when, an amount for one that asks how much.
Searched on conversations (0 to 0.3): from 0.15 on, two more of 122 answers come first.
"""

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


@dataclass(frozen=True)
class Sought:
    """What a question wants of the lines."""

    text: str = ""
    language: str = "en"
    kin: tuple[frozenset[str], ...] = ()  # whom it names as a relative, each by its words
    values: frozenset[str] = frozenset()  # kinds of value of which an answer has one
    is_former: bool = False  # it asks what was so before
    is_of_user: bool = False  # it asks of the user alone: `Where do I work?`
    is_of_profile: bool = False  # it asks who they are: what they introduce themselves with

    @classmethod
    def of(cls, text: str, language: str, *, is_of_profile: bool = False) -> "Sought":
        """Read a question."""
        kin = sentences.relatives_asked(text)
        return cls(
            text,
            language,
            kin=kin,
            values=sentences.wanted_values(text),
            is_former=sentences.asks_for_former(text),
            is_of_user=sentences.asks_of_user(text) and not names_in(text) and not kin,
            is_of_profile=is_of_profile,
        )

    @property
    def wants_day_or_amount(self) -> bool:
        """Whether an answer has a value other than a name."""
        return bool(self.values) and "name" not in self.values

    def is_about_another(self, record: "Remembered") -> bool:
        """Say whether a memory is a fact about another than the user, who alone is asked of."""
        return self.is_of_user and isinstance(record, Fact) and record.entity != "user"

    def is_timely(self, line: "Line") -> bool:
        """Say whether a line tells what is so or, where that is asked for, what was so before."""
        return line.is_past if self.is_former else line.over_since is None

    def is_told_by(self, text: str) -> bool:
        """Say whether a text has a value of a kind that is wanted, or a name nobody mentioned."""
        if "name" in self.values:
            return bool(names_in(text) - names_in(self.text))
        return any(value.kind in self.values for value in values_in(text))


ANYTHING = Sought()


@dataclass(frozen=True, kw_only=True)
class Line:
    """One memory that may be told."""

    record: Remembered
    fit: float  # how well it fits the question, by which it is ranked
    relevance: float
    words: float = 0.0  # the share of the question's words, by rarity, that it has itself
    meaning: float = 0.0  # how alike it is in meaning, 0–1
    outdone: int | None = None  # how many other questions it fits better
    at: datetime  # when it was said, or ended
    over_since: datetime | None = None  # when it ceased to be true, in part at least
    said: str = ""
    """The whole message of a fact in the user's own words, where it stands for that."""

    @property
    def is_past(self) -> bool:
        """Whether it tells, or also tells, what is no longer so."""
        has_past = isinstance(self.record, Fact) and bool(self.record.history)
        return self.over_since is not None or has_past


class _Over(NamedTuple):
    """Since when a statement is no longer so, and which fact says so."""

    since: datetime
    fact_id: str
    statement: str


_OverBy = Mapping[str, Sequence[_Over]]  # what is over of each message, by its id


def gather(
    facts: Sequence[Found[Fact]],
    turns: Sequence[Found[TurnRecord]],
    episodes: Sequence[Found[Episode]],
    sought: Sought = ANYTHING,
) -> list[Line]:
    """Return everything found as lines, best first, nothing twice.

    A fact that ended is no line of its own, unless the question is about what was: it tells
    which turns are past.
    """
    over = _over(each.record for each in facts)
    known = [each for each in facts if sought.is_former or each.record.valid_to is None]
    lines = [_line(each, over, sought) for kind in (known, turns, episodes) for each in kind]
    lines = _without_doubles(_whole_messages(_inherited(lines, over, sought)))
    return in_order(lines, is_former=sought.is_former)


def _over(facts: Iterable[Fact]) -> _OverBy:
    over: dict[str, list[_Over]] = {}
    for fact in facts:
        now = (fact.value, fact.statement)
        past: list[Fact | FactVersion] = [fact]
        past += [each for each in fact.history if (each.value, each.statement) != now]
        for each in past:
            if each.valid_to is not None:
                ended = _Over(each.valid_to, fact.id, each.statement)
                for message_id in each.source.message_ids:
                    over.setdefault(message_id, []).append(ended)
    return over


def in_order(lines: Iterable[Line], *, is_former: bool = False) -> list[Line]:
    """Return lines best first: what is past behind the rest, of equally good ones the newest.

    For a question about what was so before, what is past comes first. An episode comes behind
    what it was made of: it ends later than it tells.
    """

    def place(line: Line) -> tuple[bool, bool, datetime]:
        if is_former:
            return line.is_past, True, line.at
        return line.over_since is None, not isinstance(line.record, Episode), line.at

    left = sorted(lines, key=lambda line: -line.fit)
    ordered: list[Line] = []
    while left:
        enough = min(_AS_GOOD * left[0].fit, left[0].fit)
        best = max((line for line in left if line.fit >= enough), key=place)
        ordered.append(best)
        left.remove(best)
    return ordered


def _line(found: AnyFound, over: _OverBy, sought: Sought) -> Line:
    record, text, words = found.record, _text(found.record), found.words
    if words < found.meaning and language_of(text) != sought.language and sought.text:
        words = found.meaning  # another language has other words for the same
    relevance = score_fit(words, found.meaning, found.relevance)
    fit = relevance + _IN_TIME * found.parts.get("time", 0.0)
    fit += _OF_KIND if sought.values and sought.is_told_by(text) else 0.0
    over_since = record.valid_to if isinstance(record, Fact) else None
    if isinstance(record, TurnRecord):
        since = [each.since for each in _changed(record, over, sought)]
        over_since = max(since, default=None)
        fit += _ASSISTANT if record.role == "assistant" else 0.0
        fit += _NOTABLE * (record.notable - 0.5)
    elif isinstance(record, Episode):
        fit += _EPISODE
    elif sought.is_about_another(record):
        fit += _OF_ANOTHER
    return Line(
        record=record,
        fit=fit,
        relevance=relevance,
        words=words,
        meaning=found.meaning,
        outdone=found.outdone,
        at=said_at(record),
        over_since=over_since,
    )


def said_at(record: Remembered) -> datetime:
    """Return when a memory was last said, or ended."""
    if isinstance(record, Fact):
        return record.said_at or record.valid_from
    return record.ended_at if isinstance(record, Episode) else record.said_at


def _changed(turn: TurnRecord, over: _OverBy, sought: Sought) -> list[_Over]:
    """Return what is over of a turn, where the question speaks of that and not of the rest.

    It does where it asks for a day or an amount, and what is over has one.
    """
    ended = [each for message_id in turn.source.message_ids for each in over.get(message_id, ())]
    asked = set(words_of(sought.text, sought.language)) & set(words_of(turn.text))
    if not ended or not asked:
        return ended
    return [
        each
        for each in ended
        if asked & set(words_of(each.statement))
        or (sought.wants_day_or_amount and sought.is_told_by(each.statement))
    ]


def _inherited(lines: Sequence[Line], over: _OverBy, sought: Sought) -> list[Line]:
    """Let a fact fit as well as the turn whose place it took: it answers the same question.

    So does what still holds of the turn.
    """
    facts = [line.record for line in lines if isinstance(line.record, Fact)]
    best: dict[str, Line] = {}
    for line in lines:
        if isinstance(line.record, TurnRecord) and line.over_since:
            said = set(line.record.source.message_ids)
            heirs = [f.id for f in facts if f.own_words and said.intersection(f.source.message_ids)]
            heirs += [each.fact_id for each in _changed(line.record, over, sought)]
            for fact_id in heirs:
                best[fact_id] = better(best.get(fact_id, line), line)
    return [better(line, best.get(line.record.id, line)) for line in lines]


def better(line: Line, other: Line) -> Line:
    """Return a line that fits as well as the better of two."""
    if other.fit <= line.fit:
        return line
    return replace(
        line,
        fit=other.fit,
        relevance=max(line.relevance, other.relevance),
        words=max(line.words, other.words),
        meaning=max(line.meaning, other.meaning),
        outdone=least(line.outdone, other.outdone),
    )


def least(*counts: int | None) -> int | None:
    """Return the least of the counts that are known."""
    return min((each for each in counts if each is not None), default=None)


def _whole_messages(lines: Sequence[Line]) -> list[Line]:
    """Put the message they were said in in the place of facts in the user's own words.

    The best of them that has a past is told instead, as that message: it says what changed.
    """
    turns = {
        line.record.source.message_ids[-1]: line
        for line in lines
        if isinstance(line.record, TurnRecord)
        and line.record.role == "user"
        and line.record.source.message_ids
        and line.over_since is None
        and len(line.record.text) <= _WHOLE
    }
    best: dict[str, Line] = {}
    heirs: dict[str, Line] = {}
    rest: list[Line] = []
    for line in lines:
        is_own = isinstance(line.record, Fact) and line.record.attribute is None
        said = line.record.source.message_ids if is_own else ()
        turn = next((each for each in reversed(said) if each in turns), None)
        if turn is not None and not line.is_past:
            best[turn] = better(best.get(turn, line), line)
            continue
        rest.append(line)
        if turn is not None:
            heirs[turn] = max(heirs.get(turn, line), line, key=lambda each: each.fit)
    told: dict[str, Line] = {}
    for message_id, whole in turns.items():
        told[whole.record.id] = better(whole, best.get(message_id, whole))
        if heir := heirs.get(message_id):
            heir = better(better(heir, whole), best.get(message_id, whole))
            told[heir.record.id] = replace(heir, said=_text(whole.record))
    gone = {turns[turn].record.id for turn in heirs}
    return [told.get(line.record.id, line) for line in rest if line.record.id not in gone]


def _without_doubles(lines: Sequence[Line]) -> list[Line]:
    """Return lines of which none only says what another does.

    A turn of which keyed facts tell everything is told as these, and an episode that repeats
    turns by the turns.
    """
    facts: dict[str, set[str]] = {}
    turns: set[str] = set()
    for record in (line.record for line in lines):
        if isinstance(record, Fact):
            for message_id in record.source.message_ids:
                facts.setdefault(message_id, set()).update(words_of(record.statement))
        elif isinstance(record, TurnRecord):
            turns.update(words_of(record.text))

    def is_told(record: Remembered) -> bool:
        if isinstance(record, Fact):
            return False
        if isinstance(record, Episode):
            words, told = set(words_of(_SAYS.sub("", record.summary))), turns
        else:
            words = set(words_of(record.text))
            told = set().union(*(facts.get(each, ()) for each in record.source.message_ids))
        return bool(words) and len(words & told) >= _SAME * len(words)

    return [line for line in lines if not is_told(line.record)]


def text_of(line: Line) -> str:
    """Return what a line says, in its own words."""
    return line.said or _text(line.record)


def _text(record: Remembered) -> str:
    if isinstance(record, Fact):
        return record.statement
    return f"{record.title}. {record.summary}" if isinstance(record, Episode) else record.text


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

    @property
    def confidence(self) -> float:
        """How likely the lines answer the question, 0–1."""
        if self.is_elsewhere:
            return 0.0
        odds = _BIAS + sum(weight * float(getattr(self, name)) for name, weight in COUNTS.items())
        return min(1 / (1 + math.exp(-odds)), _BESIDE if self.is_beside else 1.0)


def read_signs(sought: Sought, lines: Sequence[Line]) -> Signs:
    """Return what the best lines have of a question."""
    question, best = sought.text, lines[:LOOKED_AT]
    said = [_words(line) for line in best]
    numbers = _NUMBER.findall(question)
    named = {word for name in (*names_in(question), *numbers) for word in words_of(name)}
    told_of = (sentences.tells_of(_with_kind(line), each) for each in sought.kin for line in lines)
    if not best or (sought.kin and not any(told_of)):
        return Signs(is_elsewhere=True)
    has_value = bool(sought.values and best[0].words) and sought.is_told_by(text_of(best[0]))
    owned = set(words_of(" ".join(sentences.owner_asked(question) or ()), sought.language))
    is_mixed = any(len(text_of(line)) >= _MIXED for line in best)
    known = least(*(line.outdone for line in best))
    outdone = _UNKNOWN if known is None or (sought.is_of_profile and is_mixed) else known
    return Signs(
        fit=best[0].relevance,
        words=best[0].words,
        meaning=max(line.meaning for line in best),
        value=float(has_value),
        outdone=math.log10(1 + outdone),
        is_of_somebody=bool(named or sought.kin),
        is_beside=not named <= set().union(*said)
        or sought.is_about_another(best[0].record)
        or (sought.is_former and not best[0].is_past)
        or not any(owned <= words for words in said)
        or (sought.wants_day_or_amount and not has_value)
        or _is_unnamed(sought, best),
    )


def _is_unnamed(sought: Sought, best: Sequence[Line]) -> bool:
    """Say whether the name of a relative is asked for, and no line has it."""
    kin = sought.kin if sentences.asks_for_name(sought.text) else ()
    owners = frozenset(folded(name) for name in names_in(sought.text))
    return bool(kin) and not any(
        sentences.names_relative(_with_kind(line), each, owners) for each in kin for line in best
    )


def _with_kind(line: Line) -> str:
    kind = line.record.entity_kind if isinstance(line.record, Fact) else ""
    return f"{text_of(line)} {kind or ''}"


def _words(line: Line) -> set[str]:
    speaker = line.record.speaker if isinstance(line.record, TurnRecord) else ""
    return {*words_of(text_of(line)), *words_of(speaker)}


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
