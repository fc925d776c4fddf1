"""How does one more statement change a fact, whatever order the statements arrive in?

A fact is a line of statements in time. Every change is made by adding a statement to
that line and reading the fact off it again, so that late, repeated and replayed
statements all end in the same record.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from memory_graph.records import Fact, FactCandidate, FactVersion, Source

_MAX_SOURCES = 20


@dataclass(frozen=True, kw_only=True)
class Statement:
    """Something said about a fact at one moment; a retraction says that it ended."""

    at: datetime
    statement: str
    value: str | None
    source: Source
    retracts: bool = False
    reason: str = "stated"
    repeated_at: datetime | None = None
    """When the same was last said again, with nothing else in between."""

    @property
    def last_at(self) -> datetime:
        """When it was last said."""
        return self.repeated_at or self.at

    def same_as(self, other: "Statement") -> bool:
        """Say whether two statements claim the same."""
        return (self.retracts, _claim(self.statement, self.value)) == (
            other.retracts,
            _claim(other.statement, other.value),
        )


def new_fact(
    candidate: FactCandidate, *, fact_id: str, key: str | None, at: datetime, source: Source
) -> Fact:
    """Return the fact a candidate starts."""
    return Fact(
        id=fact_id,
        key=key,
        created_at=at,
        updated_at=at,
        last_verified_at=at,
        valid_from=at,
        source=source,
        **candidate.model_dump(exclude={"kind", "retracts"}),
    )


def apply(fact: Fact, candidate: FactCandidate, *, at: datetime, source: Source) -> Fact:
    """Return `fact` after `candidate` was said at `at`: changed, verified or ended."""
    said = Statement(
        at=at,
        statement=candidate.statement,
        value=candidate.value,
        source=source,
        retracts=candidate.retracts,
        reason="retracted" if candidate.retracts else "stated",
    )
    updated = _read_off(fact, [*_line_of(fact), said])
    if updated.statement == candidate.statement and updated.valid_to is None:
        importance = max(fact.importance, candidate.importance)
        updated = updated.model_copy(update={"importance": importance})
    return updated


def as_of(fact: Fact, moment: datetime) -> FactVersion | None:
    """Return what was true of a fact at `moment`, or `None` if nothing was."""
    for version in (*fact.history, _current(fact)):
        ended = version.valid_to is not None and version.valid_to <= moment
        if version.valid_from <= moment and not ended and version.reason != "retracted":
            return version
    return None


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
    )


def _line_of(fact: Fact) -> list[Statement]:
    line = [
        Statement(
            at=version.valid_from,
            statement=version.statement,
            value=version.value,
            source=version.source,
            retracts=version.reason == "retracted",
            reason=version.reason,
        )
        for version in (*fact.history, _current(fact))
    ]
    if fact.valid_to is not None:
        end = fact.retraction or Source()
        line.append(_retraction(line[-1], fact.valid_to, end))
    if fact.last_verified_at > line[-1].at:
        line.append(replace(line[-1], at=fact.last_verified_at))
    return line


def _retraction(of: Statement, at: datetime, source: Source) -> Statement:
    return replace(of, at=at, source=source, retracts=True, reason="retracted")


def _read_off(fact: Fact, line: list[Statement]) -> Fact:
    """Return the fact that a line of statements describes."""
    line = _tidy(line)
    ended = line[-1] if line[-1].retracts and len(line) > 1 else None
    now_true = line[-2] if ended else line[-1]
    past = line[: line.index(now_true)]
    return fact.model_copy(
        update={
            "statement": now_true.statement,
            "value": now_true.value,
            "source": now_true.source,
            "valid_from": now_true.at,
            "valid_to": ended.at if ended else None,
            "retraction": ended.source if ended else None,
            "created_at": line[0].at,
            "updated_at": line[-1].at,
            "last_verified_at": line[-1].last_at,
            "history": tuple(_version(a, b.at) for a, b in pairwise([*past, now_true])),
        }
    )


def _version(said: Statement, until: datetime) -> FactVersion:
    return FactVersion(
        statement=said.statement,
        value=said.value,
        valid_from=said.at,
        valid_to=until,
        source=said.source,
        reason=said.reason,
    )


def _tidy(line: list[Statement]) -> list[Statement]:
    """Sort by time; fold repeats into the first of them; drop leading retractions."""
    tidy: list[Statement] = []
    for said in sorted(line, key=lambda s: (s.at, s.source.message_ids, s.statement)):
        if tidy and (said.same_as(tidy[-1]) or (said.retracts and tidy[-1].retracts)):
            source = _joined(tidy[-1].source, said.source)
            tidy[-1] = replace(tidy[-1], source=source, repeated_at=said.at)
        elif tidy or not said.retracts:
            tidy.append(said)
    return tidy


def _joined(one: Source, other: Source) -> Source:
    message_ids = sorted({*one.message_ids, *other.message_ids})[:_MAX_SOURCES]
    return one.model_copy(update={"message_ids": tuple(message_ids)})
