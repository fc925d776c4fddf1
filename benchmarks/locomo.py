"""How does a LoCoMo file read as conversations with questions?

The data (Maharana et al., 2024, CC BY-NC 4.0) is not part of this repository.
"""

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import BaseModel, TypeAdapter

from memory_graph.storage.documents import Window

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop"}

_EVIDENCE = re.compile(r"D(\d+):(\d+)")
_MONTHS = {name: number for number, name in enumerate(calendar.month_name) if name}
_DATE = re.compile(
    rf"(?:\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?\b({'|'.join(_MONTHS)})\b"
    r"(?: (\d{1,2})(?:st|nd|rd|th)?\b)?(?:,? (\d{4}))?"
)
_YEAR = re.compile(r"\bin (\d{4})\b")


@dataclass(frozen=True)
class Turn:
    """One thing somebody said."""

    turn_id: str
    session: str
    position: int
    speaker: str
    text: str
    caption: str
    """What a shared picture shows; a text-only write path never sees it."""

    said_at: float


@dataclass(frozen=True)
class Question:
    """A question with the turns that hold its answer."""

    text: str
    category: int
    evidence: frozenset[str]


@dataclass(frozen=True)
class Conversation:
    """Everything two people said to each other, and what was asked about it."""

    name: str
    speakers: tuple[str, str]
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


class _RawTurn(BaseModel):
    dia_id: str
    speaker: str
    text: str
    blip_caption: str | None = None


class _RawQuestion(BaseModel):
    question: str
    category: int
    evidence: list[str] = []


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
    )


def _turns(said: dict[str, str | list[_RawTurn]]) -> Iterator[Turn]:
    for session, raw_turns in said.items():
        if isinstance(raw_turns, str):
            continue
        said_at = _epoch(str(said[f"{session}_date_time"]))
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
    return Question(raw.question, raw.category, frozenset(found & known))


def _epoch(written: str) -> float:
    return datetime.strptime(written, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).timestamp()


def asked_window(question: str, now: float) -> Window | None:
    """Return the day, month or year a question names: a stand-in for the full time grammar."""
    if match := _DATE.search(question):
        day_before, month, day_after, year = match.groups()
        day = day_before or day_after
        if month == "May" and not (day or year or f"in {month}" in question):
            return None
        start = datetime(int(year) if year else _year(now), _MONTHS[month], 1, tzinfo=UTC)
        days = calendar.monthrange(start.year, start.month)[1]
        if day and int(day) <= days:
            start, days = start.replace(day=int(day)), 1
        return Window(start=start.timestamp(), end=(start + timedelta(days=days)).timestamp())
    if match := _YEAR.search(question):
        start, end = (datetime(int(match[1]) + more, 1, 1, tzinfo=UTC) for more in (0, 1))
        return Window(start=start.timestamp(), end=end.timestamp())
    return None


def _year(now: float) -> int:
    return datetime.fromtimestamp(now, UTC).year
