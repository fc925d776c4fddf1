"""The public files as conversations, each with the questions that are asked at its end."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from benchmarks import locomo, longmemeval

PACE = timedelta(seconds=30)
"""Between two messages of a session, whose own times the files do not tell."""


@dataclass(frozen=True)
class Message:
    """One thing that somebody said."""

    message_id: str
    session: str
    role: Literal["user", "assistant"]
    text: str
    at: datetime
    name: str | None = None


@dataclass(frozen=True)
class Case:
    """One question with its answer, and the messages that hold it."""

    case_id: str
    kind: str
    question: str
    answer: str
    asked_at: datetime
    evidence: frozenset[str]
    is_answerable: bool = True


@dataclass(frozen=True)
class Conversation:
    """Everything that was said, and what is asked about it."""

    name: str
    messages: tuple[Message, ...]
    cases: tuple[Case, ...]


def read_longmemeval(path: Path) -> Iterator[Conversation]:
    """Yield the questions of a LongMemEval file, each a conversation of its own."""
    for question in longmemeval.load(path):
        messages = tuple(
            Message(t.turn_id, t.session, t.role, t.text, t.said_at + t.position * PACE)
            for t in sorted(question.turns, key=lambda each: (each.said_at, each.position))
        )
        evidence = frozenset(turn.turn_id for turn in question.turns if turn.is_evidence)
        case = Case(
            question.name,
            question.kind if question.is_answerable else "abstention",
            question.text,
            question.answer,
            question.asked_at,
            evidence,
            question.is_answerable,
        )
        yield Conversation(question.name, messages, (case,))


def read_locomo(path: Path) -> Iterator[Conversation]:
    """Yield the conversations of a LoCoMo file; what category 5 asks is unanswerable."""
    for talk in locomo.load(path):
        messages = tuple(
            Message(
                t.turn_id,
                t.session,
                "user",
                f"{t.text} [shows {t.caption}]" if t.caption else t.text,
                t.said_at + t.position * PACE,
                t.speaker,
            )
            for t in talk.turns
        )
        last = max(message.at for message in messages) + timedelta(days=1)
        cases = [
            Case(
                f"{talk.name}-{number}",
                locomo.CATEGORIES[each.category],
                each.text,
                each.answer,
                last,
                each.evidence,
            )
            for number, each in enumerate(talk.questions)
        ]
        cases += [
            Case(f"{talk.name}-a{number}", "abstention", text, "", last, frozenset(), False)
            for number, text in enumerate(talk.unanswerable)
        ]
        yield Conversation(talk.name, messages, tuple(cases))
