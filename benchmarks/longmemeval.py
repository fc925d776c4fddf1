"""A LongMemEval file reads as questions, each with the sessions it is asked about.

The data (Wu et al., 2024, MIT licence) is not part of this repository.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import BaseModel


@dataclass(frozen=True)
class Turn:
    """One thing the user or the assistant said."""

    turn_id: str
    session: str
    position: int
    role: Literal["user", "assistant"]
    text: str
    said_at: datetime
    is_evidence: bool


@dataclass(frozen=True)
class Question:
    """A question, and everything that was said before it."""

    name: str
    text: str
    kind: str
    answer: str
    asked_at: datetime
    evidence_sessions: frozenset[str]
    turns: tuple[Turn, ...]

    @cached_property
    def by_id(self) -> dict[str, Turn]:
        """The turns by their ids."""
        return {turn.turn_id: turn for turn in self.turns}

    @property
    def is_answerable(self) -> bool:
        """Whether the sessions hold an answer."""
        return not self.name.endswith("_abs")


class _RawTurn(BaseModel):
    role: Literal["user", "assistant"]
    content: str
    has_answer: bool = False


class _RawQuestion(BaseModel):
    question_id: str
    question_type: str
    question: str
    answer: str | int | float
    question_date: str
    answer_session_ids: list[str]
    haystack_dates: list[str]
    haystack_session_ids: list[str]
    haystack_sessions: list[list[_RawTurn]]


def load(path: Path) -> list[Question]:
    """Return the questions of a file with one JSON object a line."""
    with path.open(encoding="utf-8") as lines:
        return [_question(_RawQuestion.model_validate_json(line)) for line in lines if line.strip()]


def _question(raw: _RawQuestion) -> Question:
    return Question(
        name=raw.question_id,
        text=raw.question,
        kind=raw.question_type,
        answer=str(raw.answer),
        asked_at=_moment(raw.question_date),
        evidence_sessions=frozenset(raw.answer_session_ids),
        turns=tuple(_turns(raw)),
    )


def _turns(raw: _RawQuestion) -> Iterator[Turn]:
    sessions = zip(raw.haystack_session_ids, raw.haystack_dates, raw.haystack_sessions, strict=True)
    for name, date, said in sessions:
        for position, turn in enumerate(said):
            yield Turn(
                turn_id=f"{name}:{position}",
                session=name,
                position=position,
                role=turn.role,
                text=turn.content,
                said_at=_moment(date),
                is_evidence=turn.has_answer,
            )


def _moment(written: str) -> datetime:
    """Read `2023/05/20 (Sat) 02:21`."""
    return datetime.strptime(written, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC)
