"""Put facts, episodes and turns into one order, and judge how far the best answer the message."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from memory_graph.language.mentions import names_in, shows_names, values_in
from memory_graph.language.sentences import (
    asks_for_former,
    asks_for_name,
    asks_of_user,
    names_relative,
    owner_asked,
    relatives_asked,
    tells_of,
    wanted_values,
    without_naming,
)
from memory_graph.language.words import folded, language_of, words_of
from memory_graph.ranking import score_fit
from memory_graph.records import Episode, Fact, FactVersion, TurnRecord
from memory_graph.store.collection import Found

Remembered = Fact | Episode | TurnRecord

_AS_GOOD = 0.88
"""Share of the best fit from which a line is as good, and the newer comes first."""


_WHOLE = 280
"""Characters up to which a message is told whole rather than by the sentence that fits."""


_SAME = 0.8
"""Share of a turn's words in a fact from which the fact says all of it."""


_EPISODE = -0.05
"""Own words before what was made of them."""


_SAYS = re.compile(r"\bThe (?:user said|assistant answered):")


_NOTABLE = 0.05
"""What tells something worth knowing before small talk."""


_IN_TIME = 2.0
"""What the time asked about counts here, beside what it counts in the search."""


_ASSISTANT = -0.05
"""What the user said before what was answered."""


_OF_ANOTHER = -0.5
"""What a fact about somebody else loses where the user asks of themselves alone."""


_OF_KIND = 0.15
"""What a day counts in a line for a question that asks when, an amount for one that asks how much.
Searched on conversations (0 to 0.3): from 0.15 on, two more of 122 answers come first.
"""


@dataclass(frozen=True)
class Sought:
    """What a question wants of the lines."""

    text: str = ""
    language: str = "en"
    values: frozenset[str] = frozenset()
    """Kinds of value of which an answer has one."""

    is_former: bool = False
    """It asks what was so before."""

    is_of_user: bool = False
    """It asks of the user alone: `Where do I work?`."""

    @classmethod
    def of(cls, text: str, language: str) -> "Sought":
        """Read a question."""
        of_user = asks_of_user(text) and not names_in(text) and not relatives_asked(text)
        return cls(text, language, wanted_values(text), asks_for_former(text), of_user)

    def is_about_another(self, record: "Remembered") -> bool:
        """Say whether a memory is a fact about another than the user, who alone is asked of."""
        return self.is_of_user and isinstance(record, Fact) and record.entity != "user"

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
    fit: float
    """How well it fits the question, by which it is ranked."""

    relevance: float
    words: float = 0.0
    """The share of the question's words, by rarity, that it has itself."""

    meaning: float = 0.0
    """How alike it is in meaning, 0–1."""

    at: datetime
    """When it was said, or ended."""

    over_since: datetime | None = None
    """When it ceased to be true, in part at least."""

    said: str = ""
    """The whole message of a fact in the user's own words, where it stands for that."""

    @property
    def is_past(self) -> bool:
        """Whether it tells, or also tells, what is no longer so."""
        has_past = isinstance(self.record, Fact) and bool(self.record.history)
        return self.over_since is not None or has_past


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
    lines = without_doubles(_inherited(lines, over, sought))
    return in_order(lines, is_former=sought.is_former)


def in_order(lines: Iterable[Line], *, is_former: bool = False) -> list[Line]:
    """Return lines best first: what is past behind the rest, of equally good ones the newest.

    For a question about what was so before, what is past comes first.
    """
    left = sorted(lines, key=lambda line: -line.fit)
    ordered: list[Line] = []
    while left:
        enough = min(_AS_GOOD * left[0].fit, left[0].fit)
        equal = [line for line in left if line.fit >= enough]
        best = max(equal, key=_pastness if is_former else _currency)
        ordered.append(best)
        left.remove(best)
    return ordered


def _currency(line: Line) -> tuple[bool, bool, datetime]:
    """Return by what equally good lines are ordered: an episode ends later than it tells."""
    return line.over_since is None, not isinstance(line.record, Episode), line.at


def _pastness(line: Line) -> tuple[bool, datetime]:
    return line.is_past, line.at


def _line(
    found: Found[Fact] | Found[TurnRecord] | Found[Episode],
    over: "Mapping[str, Sequence[_Over]]",
    sought: Sought,
) -> Line:
    record = found.record
    text = _text(record)
    words = found.words
    if words < found.meaning and language_of(text) != sought.language and sought.text:
        words = found.meaning  # another language has other words for the same
    relevance = score_fit(words, found.meaning, found.relevance)
    fit = relevance + _IN_TIME * found.parts.get("time", 0.0)
    fit += _OF_KIND if sought.values and sought.is_told_by(text) else 0.0
    line = Line(
        record=record,
        fit=fit,
        relevance=relevance,
        words=words,
        meaning=found.meaning,
        at=said_at(record),
    )
    if isinstance(record, Fact):
        fit += _OF_ANOTHER if sought.is_about_another(record) else 0.0
        return replace(line, fit=fit, over_since=record.valid_to)
    if isinstance(record, TurnRecord):
        since = [each.since for each in _changed(record, over, sought)]
        fit += _ASSISTANT if record.role == "assistant" else 0.0
        fit += _NOTABLE * (record.notable - 0.5)
        return replace(line, fit=fit, over_since=max(since, default=None))
    return replace(line, fit=fit + _EPISODE) if isinstance(record, Episode) else line


def said_at(record: Remembered) -> datetime:
    """Return when a memory was last said, or ended."""
    if isinstance(record, Fact):
        return record.said_at or record.valid_from
    return record.ended_at if isinstance(record, Episode) else record.said_at


class _Over(NamedTuple):
    """Since when a statement is no longer so, and which fact says so."""

    since: datetime
    fact_id: str
    statement: str


def _over(facts: Iterable[Fact]) -> dict[str, list[_Over]]:
    """Return what is over of each message, by its id."""
    over: dict[str, list[_Over]] = {}
    for fact in facts:
        past = [v for v in fact.history if v.valid_to and not _is_still_so(v, fact)]
        ended = [_Over(v.valid_to, fact.id, v.statement) for v in past if v.valid_to]
        sources = [version.source for version in past]
        if fact.valid_to:
            ended.append(_Over(fact.valid_to, fact.id, fact.statement))
            sources.append(fact.source)
        for each, source in zip(ended, sources, strict=True):
            for message_id in source.message_ids:
                over.setdefault(message_id, []).append(each)
    return over


def _is_still_so(version: FactVersion, fact: Fact) -> bool:
    return (version.value, version.statement) == (fact.value, fact.statement)


def _changed(turn: TurnRecord, over: Mapping[str, Sequence[_Over]], sought: Sought) -> list[_Over]:
    """Return what is over of a turn, where the question speaks of that and not of the rest.

    It does where it asks for a day or an amount, and what is over has one.
    """
    ended = [each for message_id in turn.source.message_ids for each in over.get(message_id, ())]
    asked = set(words_of(sought.text, sought.language)) & set(words_of(turn.text))
    if not ended or not asked:
        return ended
    wants_value = bool(sought.values) and "name" not in sought.values
    return [
        each
        for each in ended
        if asked & set(words_of(each.statement))
        or (wants_value and sought.is_told_by(each.statement))
    ]


def _inherited(
    lines: Sequence[Line], over: Mapping[str, Sequence[_Over]], sought: Sought
) -> list[Line]:
    """Let a fact fit as well as the turn whose place it took: it answers the same question.

    So does what still holds of the turn.
    """
    facts = [line.record for line in lines if isinstance(line.record, Fact)]
    best: dict[str, Line] = {}
    for line in lines:
        if not isinstance(line.record, TurnRecord) or not line.over_since:
            continue
        said = set(line.record.source.message_ids)
        left = [f.id for f in facts if f.own_words and said.intersection(f.source.message_ids)]
        for fact_id in (*left, *(e.fact_id for e in _changed(line.record, over, sought))):
            best[fact_id] = better(best.get(fact_id, line), line)
    return [
        better(line, best[line.record.id]) if line.record.id in best else line for line in lines
    ]


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
    )


def without_doubles(lines: Sequence[Line]) -> list[Line]:
    """Return lines of which none only says what another does.

    Sentences of one message that stand for themselves are told as that message; a turn of which
    keyed facts tell everything is told as these, and an episode that repeats turns by the turns.
    """
    lines = _whole_messages(lines)
    facts: dict[str, set[str]] = {}
    turns: set[str] = set()
    for line in lines:
        if isinstance(line.record, Fact):
            for message_id in line.record.source.message_ids:
                facts.setdefault(message_id, set()).update(words_of(line.record.statement))
        elif isinstance(line.record, TurnRecord):
            turns.update(words_of(line.record.text))
    return [line for line in lines if not _is_told(line.record, facts, turns)]


def _whole_messages(lines: Sequence[Line]) -> list[Line]:
    """Put the message they were said in in the place of facts in the user's own words.

    The best of them that has a past is told instead, as that message: it says what changed.
    """
    turns = {
        line.record.source.message_ids[-1]: line
        for line in lines
        if isinstance(line.record, TurnRecord) and _stands_for_its_facts(line)
    }
    best: dict[str, Line] = {}
    heirs: dict[str, Line] = {}
    rest: list[Line] = []
    for line in lines:
        turn = _turn_of(line.record, turns)
        if turn is None:
            rest.append(line)
        elif not line.is_past:
            best[turn] = better(best.get(turn, line), line)
        else:
            heirs[turn] = max(heirs.get(turn, line), line, key=lambda each: each.fit)
            rest.append(line)
    told = {
        line.record.id: _whole(line, turns[turn], best.get(turn)) for turn, line in heirs.items()
    }
    told |= {
        turns[turn].record.id: better(turns[turn], line)
        for turn, line in best.items()
        if turn not in heirs
    }
    gone = {turns[turn].record.id for turn in heirs}
    return [told.get(line.record.id, line) for line in rest if line.record.id not in gone]


def _whole(fact: Line, turn: Line, rest: Line | None) -> Line:
    """Return a fact as the message it was said in, which fits as well as all of that does."""
    whole = better(better(fact, turn), rest or turn)
    return replace(whole, said=_text(turn.record))


def _stands_for_its_facts(line: Line) -> bool:
    turn = line.record
    assert isinstance(turn, TurnRecord)
    has_source = bool(turn.source.message_ids)
    is_whole = line.over_since is None and len(turn.text) <= _WHOLE
    return turn.role == "user" and is_whole and has_source


def _turn_of(record: Remembered, turns: Mapping[str, Line]) -> str | None:
    """Return the message that a fact in the user's own words was last said in, if at hand."""
    if not isinstance(record, Fact) or record.attribute is not None:
        return None
    return next((each for each in reversed(record.source.message_ids) if each in turns), None)


def _is_told(record: Remembered, facts: Mapping[str, set[str]], turns: set[str]) -> bool:
    if isinstance(record, Fact):
        return False
    if isinstance(record, Episode):
        words = set(words_of(_SAYS.sub("", record.summary)))
        return bool(words) and len(words & turns) >= _SAME * len(words)
    words = set(words_of(record.text))
    stated = set().union(*(facts.get(each, ()) for each in record.source.message_ids))
    return bool(words) and len(words & stated) >= _SAME * len(words)


def text_of(line: Line) -> str:
    """Return what a line says, in its own words."""
    return line.said or _text(line.record)


def _text(record: Remembered) -> str:
    if isinstance(record, Fact):
        return record.statement
    return f"{record.title}. {record.summary}" if isinstance(record, Episode) else record.text


LOOKED_AT = 3
"""Lines in which the names, numbers and nouns of a question must occur."""


_HALF = 0.5
"""Share of a question's words that the best line must exceed to be told as found: `the supplier of
shoes` is not `the supplier of jeans`. Chosen on the open people files: no answer is lost by it.
"""


_ALIKE = 0.2
"""Likeness in meaning below which lines that share no word do not bear on a question at all.
Of 584 questions on the open files, 14 of 126 that memory cannot answer lie below, and none other.
"""


_NEAR = 0.4
"""Likeness in meaning from which a line may tell of a relative in other words: `got a whippet` of a
dog, `their dad` of a husband. On the open files: one answer more, and none of those never told.
"""


_MIXED = 160
"""Characters from which a text tells of many things, and its meaning is that of none: somebody who
introduces themselves in one long sentence has told where they work.
"""


_NUMBER = re.compile(r"\b\w*\d[\w.]*")
"""Anything with a digit: `30`, `bak02`."""


@dataclass(frozen=True, kw_only=True)
class Signs:
    """What speaks for the best lines answering a question."""

    is_elsewhere: bool = False
    """No line is about the relative asked about, or none shares a word or a little meaning."""

    fit: float = 0.0
    """How well the first line fits, 0–1."""

    words: float = 0.0
    """The share of the question's words, by rarity, in the first line."""

    meaning: float = 0.0
    """How alike the nearest of the first lines is in meaning."""

    value: float = 0.0
    """1 if the first line has a word of the question and a value of the kind asked for."""

    is_without_value: bool = False
    """The first line lacks the day or the amount that is asked for."""

    is_half: bool = False
    """No line has more than half of what is asked."""

    is_of_somebody: bool = False
    """It asks about somebody by name or as a relative, of whom any line is found easily."""

    is_unnamed: bool = False
    """It asks for a relative's name, which no line has."""

    is_beside: bool = False
    """A near miss, never an answer: the first line is about another one or another time than is
    asked, a name or a number of the question is in no line, or an owner and what is theirs are in
    none together.
    """

    @property
    def confidence(self) -> float:
        """How likely the lines answer the question, 0–1."""
        if self.is_elsewhere:
            return 0.0
        odds = _BIAS + sum(weight * float(getattr(self, name)) for name, weight in COUNTS.items())
        return min(1 / (1 + math.exp(-odds)), _BESIDE if self.is_beside else 1.0)


_BESIDE = 0.5
"""As much as a line counts that is beside the question: it may be told, and never as found."""

_BIAS = 0.04
COUNTS: Mapping[str, float] = {
    "fit": 1.63,
    "words": 1.82,
    "meaning": 2.37,
    "value": 0.36,
    "is_without_value": -1.55,
    "is_half": -0.6,
    "is_of_somebody": -1.43,
    "is_unnamed": -1.67,
}
"""What each sign counts: `python -m evals.tuning.recall_signal --fit` prints them."""


def read_signs(sought: Sought, lines: Sequence[Line]) -> Signs:
    """Return what the best lines have of a question."""
    best = lines[:LOOKED_AT]
    said = [_words(line) for line in best]
    named = _named(sought.text)
    is_named = named <= set().union(*said)
    is_foreign = _is_foreign(best, is_named=is_named or not shows_names(sought.language))
    is_near = any(line.meaning >= _NEAR for line in best)
    if is_foreign or (not is_near and _is_elsewhere(sought.text, lines)):
        return Signs(is_elsewhere=True)
    wants_day_or_amount = bool(sought.values) and "name" not in sought.values
    has_value = bool(sought.values and best[0].words) and sought.is_told_by(text_of(best[0]))
    return Signs(
        fit=best[0].relevance,
        words=best[0].words,
        meaning=max(line.meaning for line in best),
        value=float(has_value),
        is_without_value=wants_day_or_amount and not has_value,
        is_half=_is_half(sought, best, said, told=has_value),
        is_of_somebody=bool(named) or bool(relatives_asked(sought.text)),
        is_unnamed=_is_unnamed(sought, best),
        is_beside=_is_beside(sought, best[0]) or not is_named or _is_apart(sought, said),
    )


def _is_half(sought: Sought, best: Sequence[Line], said: Sequence[set[str]], *, told: bool) -> bool:
    """Say whether no line has more than half of what is asked.

    Of what is asked about a relative, a line that tells of them has to have something.
    """
    wanted = set(words_of(without_naming(sought.text), sought.language))
    kin = relatives_asked(sought.text)
    if not kin:
        shares = (_covered(wanted, words, line) for words, line in zip(said, best, strict=True))
        return max(shares) <= _HALF
    rest = wanted - {word for each in kin for word in words_of(" ".join(each), sought.language)}
    return bool(rest) and not told and rest.isdisjoint(set().union(*said))


def _is_unnamed(sought: Sought, best: Sequence[Line]) -> bool:
    """Say whether the name of a relative is asked for, and no line has it."""
    kin = relatives_asked(sought.text) if asks_for_name(sought.text) else ()
    owners = frozenset(folded(name) for name in names_in(sought.text))
    return bool(kin) and not any(
        names_relative(_with_kind(line), each, owners) for each in kin for line in best
    )


def _is_foreign(best: Sequence[Line], *, is_named: bool) -> bool:
    """Say whether short lines share no word with a question, and hardly its meaning or names."""
    if any(line.words or len(text_of(line)) >= _MIXED for line in best):
        return False
    return not is_named or not any(line.meaning >= _ALIKE for line in best)


def _is_beside(sought: Sought, best: Line) -> bool:
    """Say whether a line is about another one, or another time, than is asked of."""
    return sought.is_about_another(best.record) or (sought.is_former and not best.is_past)


def _is_apart(sought: Sought, said: Sequence[set[str]]) -> bool:
    """Say whether no line tells of an owner and what they own: `the dentist's deadline`."""
    both = set(words_of(" ".join(owner_asked(sought.text) or ()), sought.language))
    return not any(both <= words for words in said)


def _covered(wanted: set[str], said: set[str], line: Line) -> float:
    """Return which share of a question a line has: by words, in another language by meaning."""
    share = len(wanted & said) / len(wanted) if wanted else 1.0
    return max(share, line.words) if line.words == line.meaning else share


def _is_elsewhere(question: str, lines: Sequence[Line]) -> bool:
    """Say whether a question is about a relative of whom no line tells."""
    asked = relatives_asked(question)
    texts = [_with_kind(line) for line in lines] if asked else []
    return bool(asked) and not any(tells_of(text, each) for each in asked for text in texts)


def _with_kind(line: Line) -> str:
    kind = line.record.entity_kind if isinstance(line.record, Fact) else ""
    return f"{text_of(line)} {kind or ''}"


def _words(line: Line) -> set[str]:
    speaker = line.record.speaker if isinstance(line.record, TurnRecord) else ""
    return {*words_of(text_of(line)), *words_of(speaker)}


def _named(question: str) -> set[str]:
    """Return the stems of the names and numbers in a question."""
    named = (*names_in(question), *_NUMBER.findall(question))
    return {word for name in named for word in words_of(name)}
