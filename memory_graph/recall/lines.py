"""Put facts, episodes and quotations into one order, each thing once, in its best form."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from itertools import chain
from typing import Literal, NamedTuple

from memory_graph.facts.timeline import is_forgotten, is_over
from memory_graph.keys import normalise
from memory_graph.language.questions import owner_asked
from memory_graph.language.sentences import split_sentences
from memory_graph.language.words import language_of, words_of
from memory_graph.ranking import score_fit
from memory_graph.recall.questions import ATTRIBUTES_ASKED, KINDS, Sought, asks_for_all
from memory_graph.records import Episode, Fact, FactVersion, TurnRecord
from memory_graph.store.collection import Found

Remembered = Fact | Episode | TurnRecord
AnyFound = Found[Fact] | Found[Episode] | Found[TurnRecord]

_AS_GOOD = 0.88
"""Share of the best fit from which a line is as good, and the newer comes first."""

_SAME = 0.8  # share of the words of one memory in another from which that says all of it
_EPISODE = -0.05  # own words before what was made of them
_NOTABLE = 0.05  # what tells something worth knowing before small talk
_IN_TIME = 2.0
"""What the time asked about counts here, beside what it counts in the search."""

_BESIDE = 0.5
"""Share of an older message's relevance from which a newer one speaks of the same as it does."""

_ASSISTANT = -0.05  # what the user said before what was answered
_OF_ANOTHER = -0.5
"""What a fact about somebody else loses where the user asks of themselves alone."""

_OF_KIND = 0.15
"""What a day counts in a line for a question that asks when, an amount for one that asks how much.
Searched on conversations (0 to 0.3): from 0.15 on, two more of 122 answers come first.
"""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One memory that may be shown."""

    record: Remembered
    fit: float = 0.0  # how well it fits the question, by which it is ranked
    relevance: float = 0.0
    words: float = 0.0  # the share of the question's words, by rarity, that it has itself
    meaning: float = 0.0  # how alike it is in meaning, 0–1
    outdone: int | None = None  # how many other questions it fits better
    at: datetime  # when it was said, or ended
    over_since: datetime | None = None  # when it ceased to be true, in part at least
    is_older: bool = False  # something newer was said on the same thing
    is_in_time: bool = False  # it was said, learnt or happened in the time asked about

    @property
    def is_past(self) -> bool:
        """Whether it tells, or also tells, what is no longer so."""
        has_past = isinstance(self.record, Fact) and bool(self.record.history)
        return self.is_over or has_past

    @property
    def is_over(self) -> bool:
        """Whether it tells what is no longer so."""
        return self.over_since is not None or self.is_older


class _Over(NamedTuple):
    """Since when a statement is no longer so, and which fact says so."""

    since: datetime
    fact: Fact
    statement: str


@dataclass(frozen=True)
class Sources:
    """Which facts came of each message, and which of those are over."""

    current: Mapping[str, Sequence[Fact]] = field(default_factory=dict)
    over: Mapping[str, Sequence[_Over]] = field(default_factory=dict)

    @classmethod
    def of(cls, facts: Iterable[Fact], now: datetime) -> "Sources":
        """File facts under the messages they came of."""
        current: dict[str, list[Fact]] = {}
        over: dict[str, list[_Over]] = {}
        for fact in {each.id: each for each in facts}.values():
            if not is_over(fact, now):
                for message_id in fact.source.message_ids:
                    current.setdefault(message_id, []).append(fact)
            versions: list[Fact | FactVersion] = [fact, *_earlier(fact)]
            for past in versions:
                if past.valid_to is not None and past.valid_to <= now:
                    ended = _Over(past.valid_to, fact, past.statement)
                    for message_id in past.source.message_ids:
                        over.setdefault(message_id, []).append(ended)
        return cls(current, over)

    def facts_of(self, turn: TurnRecord) -> list[Fact]:
        """Return what a message says that still holds."""
        return [fact for each in turn.source.message_ids for fact in self.current.get(each, ())]

    def over_of(self, turn: TurnRecord, sought: Sought) -> list[_Over]:
        """Return what is over of a message, where the question speaks of that, not of the rest.

        It does where it asks for a day or an amount, and what is over has one.
        """
        ended = [each for each_id in turn.source.message_ids for each in self.over.get(each_id, ())]
        asked = set(words_of(sought.text, sought.language)) & set(words_of(turn.text))
        if not ended or not asked:
            return ended
        return [
            each
            for each in ended
            if asked & set(words_of(each.statement))
            or (sought.wants_day_or_amount and sought.is_told_by(each.statement))
        ]


def _earlier(fact: Fact) -> list[FactVersion]:
    now = (fact.value, fact.statement)
    return [each for each in fact.history if (each.value, each.statement) != now]


def gather(
    found: Sequence[AnyFound], sought: Sought, now: datetime, beside: Sequence[Remembered] = ()
) -> list[Line]:
    """Return what was found as lines, best first, each thing once.

    Args:
        found: What the search returned.
        sought: What is asked.
        now: The present, by which facts hold or are over.
        beside: What the search did not return, and what was found leads to: facts of the same
            messages, and what made a message outdated.
    """
    records = [*(each.record for each in found), *beside]
    sources = Sources.of((each for each in records if isinstance(each, Fact)), now)
    lines = [_weighed(each, sources, sought, now) for each in found]
    lines += [_unweighed(each, sources, sought, now) for each in beside]
    lines = _once(lines, sources, sought)
    return in_order([line for line in lines if _may_show(line, sought, now)], sought)


def _may_show(line: Line, sought: Sought, now: datetime) -> bool:
    """Leave out what is over unless that is asked for, and what only another line leads to."""
    fact = line.record
    if not isinstance(fact, Fact):
        return line.relevance > 0 or line.is_in_time
    if fact.was_wrong or is_forgotten(fact):
        return False
    return sought.is_former or not is_over(fact, now)


def _unweighed(record: Remembered, sources: Sources, sought: Sought, now: datetime) -> Line:
    return replace(
        _weighed(Found(record, 0.0, {}), sources, sought, now),  # type: ignore[arg-type]
        fit=0.0,
        relevance=0.0,
    )


def _weighed(found: AnyFound, sources: Sources, sought: Sought, now: datetime) -> Line:
    record, text, words = found.record, text_of(found.record), found.words
    if sought.is_of_past and words < found.meaning and language_of(text) != sought.language:
        words = found.meaning  # another language has other words for the same
    relevance = score_fit(words, found.meaning, found.relevance)
    fit = relevance + _IN_TIME * found.parts.get("time", 0.0)
    fit += _OF_KIND if sought.values and sought.is_told_by(text) else 0.0
    over_since, is_older = None, False
    if isinstance(record, TurnRecord):
        over_since = max((each.since for each in sources.over_of(record, sought)), default=None)
        is_older = record.outdated_at is not None
        fit += _ASSISTANT if record.role == "assistant" else 0.0
        fit += _NOTABLE * (record.notable - 0.5)
    elif isinstance(record, Episode):
        fit += _EPISODE
    else:
        over_since = record.valid_to if is_over(record, now) else None
        fit += _OF_ANOTHER if is_about_another(record, sought) else 0.0
    return Line(
        record=record,
        fit=fit,
        relevance=relevance,
        words=words,
        meaning=found.meaning,
        outdone=found.outdone,
        at=said_at(record),
        over_since=over_since,
        is_older=is_older,
        is_in_time=_is_of_the_time(record, sought),
    )


def text_of(record: Remembered) -> str:
    """Return what a memory says."""
    if isinstance(record, Fact):
        return record.statement
    return f"{record.title}. {record.summary}" if isinstance(record, Episode) else record.text


def said_at(record: Remembered) -> datetime:
    """Return when a memory was last said, or ended."""
    if isinstance(record, Fact):
        return record.said_at or record.valid_from
    return record.ended_at if isinstance(record, Episode) else record.said_at


def is_about_another(record: Remembered, sought: Sought) -> bool:
    """Say whether a memory is a fact about another than the one who alone is asked of."""
    if not isinstance(record, Fact):
        return False
    is_own_name = record.entity == "user" and record.attribute == "name"
    return (sought.is_of_user and record.entity != "user") or (sought.names_another and is_own_name)


def is_timely(line: Line, sought: Sought) -> bool:
    """Say whether a line tells what is so or, where that is asked for, what was so before."""
    return line.is_past if sought.is_former else not line.is_over


def _is_of_the_time(record: Remembered, sought: Sought) -> bool:
    """Say whether a memory was said, learnt or happened in the time asked about."""
    asked = sought.phrase
    if asked is None:
        return False
    spans = [(said_at(record), said_at(record))]
    if isinstance(record, Episode):
        spans.append((record.started_at, record.ended_at))
    elif isinstance(record, TurnRecord) and record.about_from and record.about_until:
        spans.append((record.about_from, record.about_until - timedelta(microseconds=1)))
    elif isinstance(record, Fact):
        spans.append((record.valid_from, record.valid_from))
        if record.event_date:
            noon = datetime.combine(record.event_date, time(12), UTC)
            spans.append((noon, noon))
    return any(
        (asked.end is None or first < asked.end) and (asked.start is None or last >= asked.start)
        for first, last in spans
    )


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
        is_in_time=line.is_in_time or other.is_in_time,
    )


def least(*counts: int | None) -> int | None:
    """Return the least of the counts that are known."""
    return min((each for each in counts if each is not None), default=None)


def _once(lines: Sequence[Line], sources: Sources, sought: Sought) -> list[Line]:
    """Return each thing in its best form: fact before episode before quotation.

    What takes another's place fits as well as that did: it answers the same question.
    """
    found = {line.record.id: line for line in lines}
    kept = dict(found)
    for line in sorted(lines, key=lambda each: each.at):
        turn = line.record
        if isinstance(turn, TurnRecord) and turn.role == "user":
            newer = found.get(turn.outdated_by)
            if newer and not is_outdated_for(line, newer, sought):
                kept[turn.id] = replace(kept[turn.id], is_older=False)
            elif newer:
                _outdate_facts(turn, newer, kept, sources)
            _choose_form(turn, kept, sources, sought)
    return _without_repeats(list(kept.values()))


def _outdate_facts(turn: TurnRecord, newer: Line, kept: dict[str, Line], sources: Sources) -> None:
    """Let facts be as old as the message they came of, where the newer one names their value."""
    said = set(words_of(text_of(newer.record)))
    for fact in sources.facts_of(turn):
        value = set(words_of(fact.value or fact.statement))
        if fact.id in kept and value and value <= said and not is_read_by_model(fact):
            older = kept[fact.id] = replace(kept[fact.id], is_older=True)
            if newer.record.id in kept:
                kept[newer.record.id] = better(kept[newer.record.id], older)


def _choose_form(turn: TurnRecord, kept: dict[str, Line], sources: Sources, sought: Sought) -> None:
    """Leave a message or the facts that came of it among the lines, whichever says it best."""
    line = kept[turn.id]
    over = [each.fact.id for each in sources.over_of(turn, sought)]
    form, facts = best_form(turn, sources, sought)
    heirs = [*over, *(facts if form == "facts" else ())]
    heirs += [turn.outdated_by] if line.is_older else []
    for heir in kept.keys() & set(heirs):
        kept[heir] = better(kept[heir], line)
    if form == "facts" or (over and not (sought.is_former or sought.is_verbatim)):
        del kept[turn.id]
        return
    for fact in [kept[each] for each in facts if each in kept]:
        if fact.fit < line.fit and not holds(fact, sought):
            del kept[fact.record.id]


def is_outdated_for(older: Line, newer: Line, sought: Sought) -> bool:
    """Say whether a newer message outdates an older one for this question.

    It does not where the question speaks of another part of the older message than the newer one
    does, or of the time of the older one alone.
    """
    if older.is_in_time and not newer.is_in_time:
        return False
    if newer.relevance >= _BESIDE * older.relevance:
        return True
    text = text_of(older.record)
    language = language_of(text, sought.language)
    said = set(words_of(text_of(newer.record), language))
    asked = set(words_of(sought.text, language)) & set(words_of(text, language)) - said
    if not asked:
        return True
    clauses = [
        part for each in split_sentences(text) for part in re.split(r"[,;:]\s+", each) if part
    ]
    parts = [set(words_of(clause, language)) for clause in clauses]
    most = max((len(part & said) for part in parts), default=0)
    changed = set().union(*(part for part in parts if len(part & said) == most > 0))
    return not changed or bool(asked & changed)


Form = Literal["facts", "words"]


def best_form(turn: TurnRecord, sources: Sources, sought: Sought) -> tuple[Form, list[str]]:
    """Say whether a message is shown by the facts that came of it, or by its words.

    By its words where none came, where time or wording is asked for, and where rules, which read
    only a part, read nothing of what is asked. The ids are of the facts that say it, or of those
    that the words say again.
    """
    facts = sources.facts_of(turn)
    if not (facts or sought.is_verbatim) and was_read_by_model(turn):
        return "facts", []
    if sought.is_verbatim or not facts:
        return "words", [fact.id for fact in facts if _is_in(fact.statement, turn.text)]
    if any(is_read_by_model(fact) for fact in facts):
        return "facts", []
    said, told = set(words_of(turn.text)), set(chain(*(words_of(_whole(each)) for each in facts)))
    asked = set(words_of(sought.text, sought.language)) & said
    has_value = not sought.values or any(sought.is_told_by(fact.statement) for fact in facts)
    if len(said & told) >= _SAME * len(said) or (asked and asked <= told and has_value):
        shared = {fact.id: len(asked & set(words_of(_whole(fact)))) for fact in facts}
        return "facts", [each for each, count in shared.items() if count == max(shared.values())]
    return "words", [fact.id for fact in facts if not fact.history]


def _whole(fact: Fact) -> str:
    return f"{fact.statement} {fact.value or ''} {fact.entity_kind or ''}"


def is_read_by_model(fact: Fact) -> bool:
    """Say whether a model read a fact: then everything worth knowing of its message is a fact."""
    return fact.extractor.partition("/")[0] not in {"rules", "remainder"}


def was_read_by_model(turn: TurnRecord) -> bool:
    """Say whether a model has read a message, or saw that it need not."""
    return turn.read.state == "done" and turn.read.by.partition("/")[0] not in {"", "rules"}


def _is_in(text: str, other: str) -> bool:
    """Say whether one text says what another does, as far as words show."""
    words = set(words_of(text))
    return bool(words) and len(words & set(words_of(other))) >= _SAME * len(words)


def _without_repeats(lines: Sequence[Line]) -> list[Line]:
    """Leave out episodes that repeat what other lines of their messages say, or these."""
    gone: set[str] = set()
    for line in lines:
        episode = line.record
        if not isinstance(episode, Episode):
            continue
        same = set(episode.source.message_ids)
        near = [
            each
            for each in lines
            if not isinstance(each.record, Episode) and same & set(each.record.source.message_ids)
        ]
        told = " ".join(text_of(each.record) for each in near)
        is_extract = episode.summariser.startswith("extractive") and bool(near)
        if is_extract or _is_in(episode.summary, told):
            gone.add(episode.id)
        else:
            gone |= {e.record.id for e in near if _is_in(text_of(e.record), text_of(episode))}
    return [line for line in lines if line.record.id not in gone]


def in_order(lines: Iterable[Line], sought: Sought) -> list[Line]:
    """Return lines best first: what is past behind the rest, of equally good ones the newest.

    For a question about what was so before, what is past comes first; for one about a time, what
    is of that time. An episode comes behind what it was made of: it ends later than it tells.
    """

    def place(line: Line) -> tuple[bool, bool, datetime]:
        if sought.is_former:
            return line.is_past, True, line.at
        return not line.is_over, not isinstance(line.record, Episode), line.at

    left = sorted(lines, key=lambda line: -line.fit)
    ordered: list[Line] = []
    while left:
        enough = min(_AS_GOOD * left[0].fit, left[0].fit)
        best = max((line for line in left if line.fit >= enough), key=place)
        ordered.append(best)
        left.remove(best)
    return sorted(ordered, key=lambda line: not line.is_in_time) if sought.phrase else ordered


def holds(line: Line, sought: Sought) -> bool:
    """Return whether a line is a fact about the attribute of the user's that is asked for.

    Of relatives and pets only those whom the question names: a mother is no brother.
    """
    fact, attribute = line.record, sought.attribute
    if attribute is None or not isinstance(fact, Fact) or not is_timely(line, sought):
        return False
    if attribute in KINDS:
        kind, asked = normalise(fact.entity_kind or ""), set(normalise(sought.text).split("-"))
        asked -= {*(owner_asked(sought.text) or ())[:1]}  # `my brother's wife` is no brother
        return kind in KINDS[attribute] and (kind in asked or asks_for_all(sought.text))
    if sought.kin:  # `my brother's name` is not the user's
        return False
    head = (fact.attribute or "").partition(":")[0]
    return fact.entity == "user" and head in ATTRIBUTES_ASKED.get(attribute, ())


def chosen(lines: Sequence[Line], *, most: int, floor: float, share: float) -> list[Line]:
    """Return the lines that are shown: none where the best bears too little on the message.

    What holds the very attribute asked for comes without a relevance of its own.
    """
    best = max((line.relevance for line in lines), default=0.0)
    if best < floor:
        return []
    return [line for line in lines if line.relevance >= share * best][:most]
