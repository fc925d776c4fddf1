"""A fact as a line of statements in time, the same whatever order they arrive in.

Every change adds a statement to the line and computes the fact from it again, so that late,
repeated and replayed statements end in the same record. A retraction is a statement too: one that
arrives before what it ends waits in a fact that never held. Statements are ordered by when they
were said. What they say may have become true earlier, but not before the statement it replaces.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from memory_graph.language.sentences import refers_back
from memory_graph.language.words import language_of, words_of
from memory_graph.records import Fact, FactCandidate, FactVersion, Retraction, Source

_MAX_SOURCES = 20


_MAX_RETRACTIONS = 20


@dataclass(frozen=True, kw_only=True)
class Statement:
    """Something said about a fact at one moment; a retraction says that it ended."""

    at: datetime
    """When it was said."""

    statement: str
    value: str | None
    source: Source
    since: datetime | None = None
    """When it became true, if that was earlier."""

    retracts: bool = False
    reason: str = "stated"
    repeated_at: datetime | None = None
    """When the same was last said again, with nothing else in between."""

    @property
    def true_from(self) -> datetime:
        """From when on it holds."""
        return self.since or self.at

    @property
    def said_at(self) -> datetime | None:
        """When it was said, where that is not when it became true."""
        return self.at if self.since and self.since != self.at else None

    @property
    def last_at(self) -> datetime:
        """When it was last said."""
        return self.repeated_at or self.at

    def same_as(self, other: "Statement") -> bool:
        """Say whether two statements claim the same."""
        return _claim(self.statement, self.value) == _claim(other.statement, other.value)

    def ends(self, stated: "Statement") -> bool:
        """Say whether this retraction is one of what was stated: it names it, or names nothing."""
        return not self.value or self.same_as(stated)


def new_fact(
    candidate: FactCandidate, *, fact_id: str, key: str | None, at: datetime, source: Source
) -> Fact:
    """Return the fact a candidate starts; of a retraction, one that never held."""
    fact = Fact(
        id=fact_id,
        key=key,
        created_at=at,
        updated_at=at,
        last_verified_at=at,
        valid_from=at,
        source=source,
        **candidate.model_dump(exclude={"kind", "retracts", "since"}),
    )
    needs_reading = candidate.retracts or candidate.since is not None
    return _read_off(fact, [_said(candidate, at, source)]) if needs_reading else fact


def apply(fact: Fact, candidate: FactCandidate, *, at: datetime, source: Source) -> Fact:
    """Return `fact` after `candidate` was said at `at`: changed, verified or ended."""
    line = [*_line_of(fact), _said(candidate, at, source)]
    if is_pending_retraction(fact) and not candidate.retracts:
        fact = new_fact(candidate, fact_id=fact.id, key=fact.key, at=at, source=source)
    updated = _read_off(fact, line)
    if updated.statement == candidate.statement and updated.valid_to is None:
        importance = max(fact.importance, candidate.importance)
        updated = updated.model_copy(update={"importance": importance})
    return updated


def is_pending_retraction(fact: Fact) -> bool:
    """Say whether only retractions were heard of a fact: nothing to show, but to wait with."""
    ended = fact.valid_to is not None and fact.valid_to <= fact.valid_from
    return ended and bool(fact.retractions) and not fact.history


def joined(fact: Fact, other: Fact) -> Fact:
    """Return `fact` with the retractions that were heard of it elsewhere, too."""
    return _read_off(fact, [*_line_of(fact), *_retractions_of(other)])


def added(before: Fact | None, after: Fact) -> list[Statement]:
    """Return the statements by which a fact differs from what it was."""
    known = {_mark(each) for each in _line_of(before)} if before else set()
    return [each for each in _line_of(after) if _mark(each) not in known]


def restored(fact: Fact, statements: Sequence[Statement]) -> Fact:
    """Return a fact with the statements of some that it has lost; the same if it has them all."""
    known = {_mark(each) for each in _line_of(fact)}
    lost = [each for each in statements if _mark(each) not in known and not _is_folded(each, fact)]
    return _read_off(fact, [*_line_of(fact), *lost]) if lost else fact


def _is_folded(said: Statement, fact: Fact) -> bool:
    """Say whether a repeat was folded into the statement that it repeats."""
    ids = set(said.source.message_ids)
    return any(ids and ids <= set(each.source.message_ids) for each in _line_of(fact))


def without(fact: Fact, statements: Sequence[Statement]) -> Fact | None:
    """Return a fact as if some statements had never been made; nothing if no other was."""
    gone = {_mark(each) for each in statements}
    line = [each for each in _line_of(fact) if _mark(each) not in gone]
    return _read_off(fact, line) if line else None


def _mark(said: Statement) -> tuple[datetime, bool, str]:
    return (said.at, said.retracts, _claim(said.statement, said.value))


def _said(candidate: FactCandidate, at: datetime, source: Source) -> Statement:
    return Statement(
        at=at,
        statement=candidate.statement,
        value=candidate.value or None,
        source=source,
        since=candidate.since if candidate.since and candidate.since < at else None,
        retracts=candidate.retracts,
        reason="retracted" if candidate.retracts else "stated",
    )


def as_of(fact: Fact, moment: datetime) -> FactVersion | None:
    """Return what was true of a fact at `moment`, or `None` if nothing was."""
    for version in versions_of(fact):
        ended = version.valid_to is not None and version.valid_to <= moment
        if version.valid_from <= moment and not ended and version.reason != "retracted":
            return version
    return None


def versions_of(fact: Fact) -> tuple[FactVersion, ...]:
    """Return every value a fact had, oldest first, up to the one it has now."""
    return (*fact.history, _current(fact))


def already_said(fact: Fact, message_id: str, candidate: FactCandidate) -> bool:
    """Say whether this very message already made this claim about the fact."""
    claim = _claim(candidate.statement, candidate.value)
    return any(
        message_id in s.source.message_ids
        and s.retracts == candidate.retracts
        and (s.retracts or _claim(s.statement, s.value) == claim)
        for s in _line_of(fact)
    )


def states_the_same(fact: Fact, candidate: FactCandidate) -> bool:
    """Say whether a candidate only repeats what the fact already says."""
    return _claim(fact.statement, fact.value) == _claim(candidate.statement, candidate.value)


def _claim(statement: str, value: str | None) -> str:
    return (value or statement).casefold().strip(" .")


def _current(fact: Fact) -> FactVersion:
    return FactVersion(
        statement=fact.statement,
        value=fact.value,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        source=fact.source,
        repeated_at=fact.repeated_at or _verified(fact),
        said_at=fact.said_at,
    )


def _verified(fact: Fact) -> datetime | None:
    is_later = fact.valid_to is None and fact.last_verified_at > (fact.said_at or fact.valid_from)
    return fact.last_verified_at if is_later else None


def _line_of(fact: Fact) -> list[Statement]:
    if is_pending_retraction(fact):
        return _retractions_of(fact)
    line: list[Statement] = []
    for version in versions_of(fact):
        if version.reason != "retracted":
            line.append(_stated(version, version.said_at or version.valid_from))
            line += [_stated(version, version.repeated_at)] if version.repeated_at else []
    return line + _retractions_of(fact)


def _stated(version: FactVersion, at: datetime) -> Statement:
    return Statement(
        at=at,
        statement=version.statement,
        value=version.value,
        source=version.source,
        since=version.valid_from if version.said_at else None,
        reason=version.reason,
    )


def _retractions_of(fact: Fact) -> list[Statement]:
    return [
        Statement(
            at=each.at,
            statement=each.statement,
            value=each.value,
            source=each.source,
            retracts=True,
            reason="retracted",
        )
        for each in fact.retractions or _older_retractions(fact)
    ]


def _older_retractions(fact: Fact) -> list[Retraction]:
    """Return those of a record that lists none: one for each time it ended."""
    ends = [(each.valid_from, each.source) for each in fact.history if each.reason == "retracted"]
    if fact.valid_to is not None:
        ends.append((fact.valid_to, fact.retraction or Source()))
    return [Retraction(at=at, statement=fact.statement, source=source) for at, source in ends]


def _read_off(fact: Fact, line: list[Statement]) -> Fact:
    """Return the fact that a line of statements describes."""
    line = sorted(line, key=_place)
    retractions = tuple(dict.fromkeys(_retraction(each) for each in line if each.retracts))
    kept = fact.model_copy(update={"retractions": retractions[-_MAX_RETRACTIONS:]})
    held = _tidy(line)
    return _as_told(kept, held) if held else _never_held(kept)


def _place(said: Statement) -> tuple[datetime, bool, tuple[str, ...], str]:
    """Return where in the line something belongs; what one moment ends, it may state anew."""
    return (said.at, not said.retracts, said.source.message_ids, said.statement)


def _as_told(fact: Fact, line: list[Statement]) -> Fact:
    ended = line[-1] if line[-1].retracts else None
    now_true = line[-2] if ended else line[-1]
    past = line[: line.index(now_true)]
    return fact.model_copy(
        update={
            "statement": now_true.statement,
            "value": now_true.value,
            "source": now_true.source,
            "valid_from": now_true.true_from,
            "said_at": now_true.said_at,
            "valid_to": ended.true_from if ended else None,
            "retraction": ended.source if ended else None,
            "repeated_at": now_true.repeated_at,
            "created_at": line[0].at,
            "updated_at": line[-1].at,
            "last_verified_at": line[-1].last_at,
            "history": tuple(_version(a, b.true_from) for a, b in pairwise([*past, now_true])),
        }
    )


def _never_held(fact: Fact) -> Fact:
    first, last = fact.retractions[0], fact.retractions[-1]
    return fact.model_copy(
        update={
            "statement": first.statement,
            "value": first.value,
            "source": first.source,
            "retraction": first.source,
            "created_at": first.at,
            "valid_from": first.at,
            "valid_to": first.at,
            "updated_at": last.at,
            "last_verified_at": last.at,
        }
    )


def _retraction(said: Statement) -> Retraction:
    return Retraction(at=said.at, statement=said.statement, value=said.value, source=said.source)


def _version(said: Statement, until: datetime) -> FactVersion:
    return FactVersion(
        statement=said.statement,
        value=said.value,
        valid_from=said.true_from,
        valid_to=until,
        source=said.source,
        reason=said.reason,
        repeated_at=said.repeated_at,
        said_at=said.said_at,
    )


def _tidy(line: list[Statement]) -> list[Statement]:
    """Fold repeats into the first of them; drop retractions that end nothing."""
    tidy: list[Statement] = []
    for said in line:
        last = tidy[-1] if tidy else None
        if said.retracts:
            if last and not last.retracts and said.ends(last):
                tidy.append(said)
        elif last and not last.retracts and said.same_as(last):
            source = _joined(last.source, said.source)
            tidy[-1] = replace(last, source=source, repeated_at=said.at)
        else:
            tidy.append(said)
    return _without_overlaps(tidy)


def _without_overlaps(line: list[Statement]) -> list[Statement]:
    """Let nothing be true before what it replaces became so."""
    for n, (before, said) in enumerate(pairwise(line), start=1):
        if said.since is not None and said.since <= before.true_from:
            line[n] = replace(said, since=None)
    return line


def _joined(one: Source, other: Source) -> Source:
    message_ids = sorted({*one.message_ids, *other.message_ids})[:_MAX_SOURCES]
    return one.model_copy(update={"message_ids": tuple(message_ids)})


_NEEDS_NONE = 5
"""Words that say something, of a statement that is understood by itself."""

_SEVERAL = 3
"""Words of an older statement that a newer one leaves untouched, if it changes only a part."""


def in_full(fact: Fact) -> str:
    """Return a fact as it is searched for: with what it was first said of, where that is needed.

    `It's the 23rd now` says nothing by itself; neither does what changes a part of a statement
    whose other parts it does not repeat.
    """
    if not fact.own_words or not fact.history:
        return fact.statement
    new, first = fact.statement, fact.history[0].statement
    is_clear = len(words_of(new)) > _NEEDS_NONE and not refers_back(new, language_of(new))
    return new if is_clear and not says_more(first, new) else f"{new} (earlier: “{first}”)"


def says_more(old: str, new: str) -> bool:
    """Say whether an older statement says several things that a newer one does not speak of."""
    language = language_of(old)
    left = set(words_of(old, language)) - set(words_of(new, language))
    return len({word for word in left if not word.isdigit()}) >= _SEVERAL
