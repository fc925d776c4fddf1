"""How does a LoCoMo file read as conversations with questions?

The data (Maharana et al., 2024, CC BY-NC 4.0) is not part of this repository.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, TypeAdapter

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop"}

_ADVERSARIAL = 5

_EVIDENCE = re.compile(r"D(\d+):(\d+)")


@dataclass(frozen=True)
class Turn:
    """One thing somebody said."""

    turn_id: str
    session: str
    position: int
    speaker: str
    text: str
    caption: str
    """What a shared picture shows, as an application with eyes would put it into words."""

    said_at: datetime


@dataclass(frozen=True)
class Question:
    """A question with the turns that hold its answer."""

    text: str
    category: int
    evidence: frozenset[str]
    answer: str = ""


@dataclass(frozen=True)
class Conversation:
    """Everything two people said to each other, and what was asked about it."""

    name: str
    speakers: tuple[str, str]
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]
    unanswerable: tuple[str, ...] = ()
    """Questions of category 5, which ask one of what the other said."""


class _RawTurn(BaseModel):
    dia_id: str
    speaker: str
    text: str
    blip_caption: str | None = None


class _RawQuestion(BaseModel):
    question: str
    category: int
    evidence: list[str] = []
    answer: str | int | float = ""


class _Sample(BaseModel):
    sample_id: str
    conversation: dict[str, str | list[_RawTurn]]
    qa: list[_RawQuestion]


def load(path: Path) -> list[Conversation]:
    """Return the conversations in a file, with their answerable questions (categories 1–4)."""
    samples = TypeAdapter(list[_Sample]).validate_json(path.read_bytes())
    return [_conversation(sample) for sample in samples]


def _conversation(sample: _Sample) -> Conversation:
    turns = tuple(_turns(sample.conversation))
    known = {turn.turn_id for turn in turns}
    questions = (_question(raw, known) for raw in sample.qa)
    return Conversation(
        name=sample.sample_id,
        speakers=(str(sample.conversation["speaker_a"]), str(sample.conversation["speaker_b"])),
        turns=turns,
        questions=tuple(q for q in questions if q.category in CATEGORIES and q.evidence),
        unanswerable=tuple(raw.question for raw in sample.qa if raw.category == _ADVERSARIAL),
    )


def _turns(said: dict[str, str | list[_RawTurn]]) -> Iterator[Turn]:
    for session, raw_turns in said.items():
        if isinstance(raw_turns, str):
            continue
        said_at = _moment(str(said[f"{session}_date_time"]))
        for position, raw in enumerate(raw_turns):
            yield Turn(
                turn_id=raw.dia_id,
                session=session,
                position=position,
                speaker=raw.speaker,
                text=raw.text,
                caption=raw.blip_caption or "",
                said_at=said_at,
            )


def _question(raw: _RawQuestion, known: set[str]) -> Question:
    found = {
        f"D{int(session)}:{int(turn)}"
        for reference in raw.evidence
        for session, turn in _EVIDENCE.findall(reference)
    }
    return Question(raw.question, raw.category, frozenset(found & known), str(raw.answer))


def _moment(written: str) -> datetime:
    return datetime.strptime(written, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
