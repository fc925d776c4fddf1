"""A fact as a line of statements in time, the same whatever order they arrive in.

Every change adds a statement to the line and computes the fact from it again, so that late,
repeated and replayed statements end in the same record. A retraction is a statement too: one that
arrives before what it ends waits in a fact that never held. Statements are ordered by when they
were said. What they say may have become true earlier, but not before the statement it replaces.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise

from memory_graph.language.requests import to_forget
from memory_graph.records import Claim, Fact, FactCandidate, FactVersion, Retraction, Source

Statement = FactVersion
"""Something said about a fact at one moment; with the reason `retracted`, that it ended."""

_MAX_SOURCES = 20
_MAX_RETRACTIONS = 20
_AS_STATED = FactVersion.model_fields.keys() & Fact.model_fields.keys()


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
        **candidate.model_dump(include=set(Claim.model_fields)),
    )
    return _read_off(fact, [_said(candidate, at, source)])


def apply(fact: Fact, candidate: FactCandidate, *, at: datetime, source: Source) -> Fact:
    """Return `fact` after `candidate` was said at `at`: changed, verified or ended.

    A correction is as old as what it corrects, which was never so.
    """
    line = _line_of(fact)
    stated = [n for n, e in enumerate(line) if e.reason != "retracted" and said_at(e) <= at]
    if candidate.was_wrong and stated:
        wrong = line[stated[-1]] = line[stated[-1]].model_copy(update={"was_wrong": True})
        candidate = candidate.model_copy(update={"since": candidate.since or wrong.valid_from})
    line.append(_said(candidate, at, source))
    if is_pending_retraction(fact) and not candidate.retracts:
        fact = new_fact(candidate, fact_id=fact.id, key=fact.key, at=at, source=source)
    updated = _read_off(fact, line)
    if updated.statement == candidate.statement and updated.valid_to is None:
        importance = max(fact.importance, candidate.importance)
        updated = updated.model_copy(update={"importance": importance})
    return updated


def ends_then(fact: Fact, day: datetime | None, heir: str, at: datetime) -> Fact:
    """Return a fact that a plan will end on a day to come; without a day, one that stays."""
    changes = {"until": day, "valid_to": day, "heir": heir if day else ""}
    return fact.model_copy(update={**changes, "updated_at": max(at, fact.updated_at)})


def _said(candidate: FactCandidate, at: datetime, source: Source) -> Statement:
    since = candidate.since if candidate.since and candidate.since < at else None
    since = candidate.starts if candidate.starts and not candidate.retracts else since
    return Statement(
        statement=candidate.statement,
        value=candidate.value or None,
        valid_from=since or at,
        said_at=at if since else None,
        source=source,
        reason="retracted" if candidate.retracts else "stated",
        until=candidate.until,
    )


def is_pending_retraction(fact: Fact) -> bool:
    """Say whether only retractions were heard of a fact: nothing to show, but to wait with."""
    return fact.valid_to == fact.valid_from and bool(fact.retractions) and not fact.history


def is_forgotten(fact: Fact) -> bool:
    """Say whether the user asked to forget it: it stays to be undone, and is never told."""
    asked = (to_forget(each.statement) is not None for each in fact.retractions)
    return fact.valid_to is not None and any(asked)


def is_over(fact: Fact, now: datetime) -> bool:
    """Say whether a fact has ceased to be true; what a plan will end has not."""
    return fact.valid_to is not None and fact.valid_to <= now


def joined(fact: Fact, other: Fact) -> Fact:
    """Return `fact` with the retractions that were heard of it elsewhere, too."""
    return _read_off(fact, [*_line_of(fact), *_retractions_of(other)])


def added(before: Fact | None, after: Fact) -> list[Statement]:
    """Return the statements by which a fact differs from what it was."""
    return _lacking(_line_of(after), _line_of(before) if before else ())


def restored(fact: Fact, statements: Sequence[Statement]) -> Fact:
    """Return a fact with the statements of some that it has lost; the same if it has them all.

    A repeat is not lost that was folded into the statement that it repeats.
    """
    line = _line_of(fact)
    folded = [set(each.source.message_ids) for each in line]
    lost = [
        each
        for each in _lacking(statements, line)
        if not each.source.message_ids
        or not any(ids.issuperset(each.source.message_ids) for ids in folded)
    ]
    return _read_off(fact, [*line, *lost]) if lost else fact


def without(fact: Fact, statements: Sequence[Statement]) -> Fact | None:
    """Return a fact as if some statements had never been made; nothing if no other was."""
    line = _lacking(_line_of(fact), statements)
    return _read_off(fact, line) if line else None


def _lacking(some: Iterable[Statement], others: Iterable[Statement]) -> list[Statement]:
    """Return those statements that are not among the others."""
    known = {(said_at(each), each.reason == "retracted", _claim(each)) for each in others}
    return [e for e in some if (said_at(e), e.reason == "retracted", _claim(e)) not in known]


def as_of(fact: Fact, moment: datetime) -> FactVersion | None:
    """Return what was true of a fact at `moment`, or `None` if nothing was."""
    for version in versions_of(fact):
        ended = version.valid_to is not None and version.valid_to <= moment
        is_so = not ended and not version.was_wrong and version.reason != "retracted"
        if version.valid_from <= moment and is_so:
            return version
    return None


def with_version(fact: Fact, version: FactVersion) -> Fact:
    """Return a fact as it says one of its versions."""
    return fact.model_copy(update={name: getattr(version, name) for name in _AS_STATED})


def versions_of(fact: Fact) -> tuple[FactVersion, ...]:
    """Return every value a fact had, oldest first, up to the one it has now."""
    current = FactVersion(**{name: getattr(fact, name) for name in _AS_STATED})
    is_verified = fact.valid_to is None and fact.last_verified_at > said_at(current)
    if not fact.repeated_at and is_verified:
        current = current.model_copy(update={"repeated_at": fact.last_verified_at})
    return (*fact.history, current)


def already_said(fact: Fact, message_id: str, candidate: FactCandidate) -> bool:
    """Say whether this very message already made this claim about the fact."""
    return any(
        message_id in said.source.message_ids
        and (said.reason == "retracted") == candidate.retracts
        and (candidate.retracts or _claim(said) == _claim(candidate))
        for said in _line_of(fact)
    )


def states_the_same(fact: Fact, candidate: FactCandidate) -> bool:
    """Say whether a candidate only repeats what the fact already says."""
    return _claim(fact) == _claim(candidate)


def _claim(said: Fact | FactCandidate | Statement) -> str:
    return (said.value or said.statement).casefold().strip(" .")


def said_at(said: Fact | Statement) -> datetime:
    """Return when something was said."""
    return said.said_at or said.valid_from


def _line_of(fact: Fact) -> list[Statement]:
    """Return everything that was said of a fact; what was said again, once more at that time."""
    if is_pending_retraction(fact):
        return _retractions_of(fact)
    line: list[Statement] = []
    for version in versions_of(fact):
        if version.reason != "retracted":
            line.append(version.model_copy(update={"valid_to": None, "repeated_at": None}))
            if again := version.repeated_at:
                repeat = {"said_at": again} if version.said_at else {"valid_from": again}
                line.append(line[-1].model_copy(update=repeat))
    return line + _retractions_of(fact)


def _retractions_of(fact: Fact) -> list[Statement]:
    """Return every retraction of a fact; of a record that lists none, one for each end."""
    heard = [(each.at, each.statement, each.value, each.source) for each in fact.retractions]
    if not heard:
        ends = [
            (each.valid_from, each.source) for each in fact.history if each.reason == "retracted"
        ]
        is_ended = fact.valid_to is not None and fact.valid_to != fact.until
        ends += [(fact.valid_to, fact.retraction or Source())] if is_ended and fact.valid_to else []
        heard = [(at, fact.statement, None, source) for at, source in ends]
    return [
        Statement(statement=told, value=value, valid_from=at, source=source, reason="retracted")
        for at, told, value, source in heard
    ]


def _read_off(fact: Fact, line: Sequence[Statement]) -> Fact:
    """Return the fact that a line of statements describes.

    What one moment ends, it may state anew.
    """
    line = sorted(
        line, key=lambda s: (said_at(s), s.reason != "retracted", s.source.message_ids, s.statement)
    )
    retractions = dict.fromkeys(
        Retraction(at=said_at(each), statement=each.statement, value=each.value, source=each.source)
        for each in line
        if each.reason == "retracted"
    )
    fact = fact.model_copy(update={"retractions": tuple(retractions)[-_MAX_RETRACTIONS:]})
    held = _tidy(line)
    return _as_told(fact, held) if held else _never_held(fact)


def _tidy(line: Sequence[Statement]) -> list[Statement]:
    """Fold repeats into the first of them, drop retractions that end nothing.

    A retraction ends what it names, or anything. Nothing is true before what it replaces.
    """
    tidy: list[Statement] = []
    for said in line:
        last = tidy[-1] if tidy and tidy[-1].reason != "retracted" else None
        is_same = last is not None and _claim(last) == _claim(said)
        if said.reason == "retracted":
            tidy += [said] if last and (is_same or not said.value) else []
        elif last and is_same:
            ids = sorted({*last.source.message_ids, *said.source.message_ids})[:_MAX_SOURCES]
            source = last.source.model_copy(update={"message_ids": tuple(ids)})
            changes = {"source": source, "repeated_at": said_at(said)}
            changes |= {"until": said.until} if said.until else {}
            tidy[-1] = last.model_copy(update=changes)
        else:
            tidy.append(said)
    for n, (before, said) in enumerate(pairwise(tidy), start=1):
        if before.was_wrong or said.said_at is None:
            continue
        if said.valid_from <= before.valid_from:
            tidy[n] = said.model_copy(update={"valid_from": said.said_at, "said_at": None})
    return tidy


def _as_told(fact: Fact, line: Sequence[Statement]) -> Fact:
    ended = line[-1] if line[-1].reason == "retracted" else None
    told = line[:-1] if ended else line
    last = _with_plan(told)
    history = (
        a.model_copy(update={"valid_to": min(b.valid_from, a.until or b.valid_from), "heir": ""})
        for a, b in pairwise(told)
    )
    return with_version(fact, last).model_copy(
        update={
            "valid_to": ended.valid_from if ended else last.until,
            "retraction": ended.source if ended else None,
            "created_at": said_at(line[0]),
            "updated_at": said_at(line[-1]),
            "last_verified_at": line[-1].repeated_at or said_at(line[-1]),
            "history": tuple(history),
        }
    )


def _with_plan(line: Sequence[Statement]) -> Statement:
    """Return the last statement; a plan that ended the one before it will end it, too."""
    last, before = line[-1], line[-2] if len(line) > 1 else None
    if before is None or not before.heir or before.until is None or last.until is not None:
        return last
    if before.until <= said_at(last):
        return last
    return last.model_copy(update={"until": before.until, "heir": before.heir})


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
