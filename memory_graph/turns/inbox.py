"""The inbox: whose each message of a thread is, which turns wait, and which it went back behind.

A user's turn record says by whom the turn was read and captured. All here is pure.
"""

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from langchain_core.messages import AnyMessage, HumanMessage

from memory_graph.keys import stable_id
from memory_graph.records import TurnRecord
from memory_graph.state import NOBODY, OFF, Bound, ThreadNote
from memory_graph.turns.messages import Turn, id_of, is_summary
from memory_graph.turns.store import GONE, WENT_BACK, Listed

MOST_BOUND = 500
"""Messages of which a thread remembers whose they are. A limit: part of every checkpoint."""

_LINE = 20
"""Turns by which a branch is told from others."""


@dataclass(frozen=True)
class Arrival:
    """Who brings messages into a thread, and how."""

    by: str
    """The mark of the run's user, `OFF` or `NOBODY`."""

    at: datetime
    is_resumed: bool = False
    """The run goes on with what is there: its messages were brought in by another."""

    outer: frozenset[str] | None = None
    """Inside an agent's tool: the messages of the conversation around it."""


def bind(
    messages: Sequence[AnyMessage],
    note: ThreadNote,
    arrival: Arrival,
    *,
    own: Container[str] = (),
    off: Container[str] = (),
) -> dict[str, Bound]:
    """Return whose each message is, the new ones included: those that nobody answered yet.

    Args:
        messages: The thread's.
        note: What the thread knows so far.
        arrival: Who brings the new ones.
        own: Messages that the user's own records know: theirs, whoever goes on.
        off: Messages that were said with memory off, here or in another thread.
    """
    known = dict(note.get("messages") or {})
    new = [each for each in _latest(messages) if each[0] not in known]
    is_shared = _is_shared(messages, known, arrival.by)
    last = new[-1][1].name if new else None
    at = arrival.at.isoformat()
    for place, (message_id, message) in enumerate(new):
        of = arrival.by
        if message_id in off:
            of = OFF
        elif message_id not in own and of != OFF:
            is_last = place == len(new) - 1
            is_theirs = message.name == last and (is_last or not is_shared or last is not None)
            of = of if is_theirs and not _is_anothers(message_id, arrival) else NOBODY
        known[message_id] = Bound(of=of, at=at)
    return dict([*known.items()][-MOST_BOUND:])


def _is_anothers(message_id: str, arrival: Arrival) -> bool:
    """Say whether the run's user did not write a message: another did, or an agent."""
    if arrival.outer is not None:
        return message_id not in arrival.outer
    return arrival.is_resumed


def arrived(messages: Sequence[AnyMessage], note: ThreadNote) -> list[str]:
    """Return the messages that a run brought in: of the latest, those that no run has bound."""
    known = note.get("messages") or {}
    return [each for each, _ in _latest(messages) if each not in known]


def _latest(messages: Sequence[AnyMessage]) -> list[tuple[str, HumanMessage]]:
    """Return the user's last message, and those right before it that had no answer."""
    found: list[tuple[str, HumanMessage]] = []
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if found and message.type in {"ai", "tool"}:
            break
        if isinstance(message, HumanMessage) and not is_summary(message):
            found.append((id_of(place, message), message))
    return found[::-1]


def _is_shared(messages: Sequence[AnyMessage], known: Mapping[str, Bound], by: str) -> bool:
    """Say whether others speak in a thread, or did before its user was known."""
    marks = {each["of"] for each in known.values()} - {OFF}
    if marks:
        return marks != {by}
    last = max((n for n, each in enumerate(messages) if each.type == "human"), default=0)
    return any(message.type == "ai" for message in messages[:last])


def missed(known: Mapping[str, Bound], ids: Collection[str]) -> dict[str, Bound]:
    """Return who is whose, where no record could be written for these messages."""
    return {
        each: Bound(of=bound["of"], at=bound["at"], missed=True) if each in ids else bound
        for each, bound in known.items()
    }


def is_open(turn: Turn, record: TurnRecord | None, bound: Bound | None, *, is_new: bool) -> bool:
    """Say whether a turn is still to be read: never was, was edited, or the thread came back.

    One that has no record, and was neither missed nor just brought in, was forgotten since.
    """
    if record is None:
        return is_new or bool(bound and bound.get("missed"))
    if record.withdrawn:
        return record.read.reason == WENT_BACK
    return record.read.state == "open" or is_edited(turn, record)


def is_edited(turn: Turn, record: TurnRecord) -> bool:
    """Say whether a message has other words than when it was read."""
    return bool(record.digest) and record.digest != turn.digest


@dataclass(frozen=True)
class Backlog:
    """The turns that are to be read, oldest first, and when each was said."""

    turns: tuple[Turn, ...]
    said_at: Mapping[str, datetime]


def backlog(
    turns: Sequence[Turn],
    records: Mapping[str, TurnRecord],
    known: Mapping[str, Bound],
    new: Collection[str],
    erased_at: datetime | None,
) -> Backlog:
    """Return which of the user's turns are to be read, but none said before they erased all."""
    said_at: dict[str, datetime] = {}
    chosen = []
    for turn in turns:
        record, bound = records.get(turn.message_id), known.get(turn.message_id)
        is_new = turn.message_id in new
        if not is_open(turn, record, bound, is_new=is_new):
            continue
        at = record.said_at if record else datetime.fromisoformat(bound["at"]) if bound else None
        is_last = turn is turns[-1]
        if at is None or (erased_at and not is_last and (is_new or at <= erased_at)):
            continue
        said_at[turn.message_id] = at
        chosen.append(turn)
    return Backlog(tuple(chosen), said_at)


def line_with(
    note: ThreadNote, turns: Sequence[Turn], records: Mapping[str, TurnRecord]
) -> dict[str, int]:
    """Return the line of a branch with those of these turns that have a record."""
    line = dict(note.get("line") or {})
    for turn in turns:
        if record := records.get(turn.message_id):
            line[turn.mark] = record.position
    ordered = sorted(line.items(), key=lambda each: each[1])
    return dict(ordered[-_LINE:])


def abandoned(
    listed: Mapping[str, Listed], line: Mapping[str, int], held: Container[str], *, is_begun: bool
) -> list[str]:
    """Return the records of turns that the thread went back behind.

    Args:
        listed: The user's turns of the thread, by the ids of their records.
        line: The branch that the run goes on with, by such ids.
        held: The turns whose messages the thread's state holds.
        is_begun: Without a line, the run surely began before all of them. Otherwise the thread is
            new or lost its checkpoints, and went back behind nothing.
    """
    if not line and not is_begun:
        return []
    end = max(line.values(), default=-1)
    return [
        key
        for key, each in listed.items()
        if each.position > end and each.inbox != GONE and key not in held and key not in line
    ]


def come_back(listed: Mapping[str, Listed], held: Container[str]) -> list[str]:
    """Return the records of withdrawn turns whose messages the thread's state holds again."""
    return [key for key, each in listed.items() if each.inbox == GONE and key in held]


def off_record_id(message_id: str) -> str:
    """Return the id of the record that says, in every thread, that a message was said unheard."""
    return f"turn-{stable_id(message_id)}-off"
