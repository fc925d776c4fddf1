"""Turns in the store."""

from collections.abc import Iterable
from typing import Final

from pydantic import JsonValue

from memory_graph.language.sentences import Voices
from memory_graph.records import TurnRecord
from memory_graph.store.collection import RecordCollection
from memory_graph.store.values import Fields, Kind, Value, epoch_of

USER: Final = "user"
ASSISTANT: Final = "assistant"
"""How those are called whose messages carry no name."""

_DATE = len("2026-11-16")


def _turn_filters(turn: TurnRecord) -> dict[str, JsonValue]:
    group = _group(turn.session, turn.said_at.isoformat())
    return {
        "role": turn.role,
        "said_epoch": int(turn.said_at.timestamp()),
        "group": group,
        "thread": turn.session,
        "waits": waits(turn),
    }


def waits(turn: TurnRecord) -> bool:
    """Say whether somebody has still to read or to capture a turn."""
    states = {turn.read.state, turn.captured.state}
    return not turn.withdrawn and states != {"done"}


def _turn_fields(value: Value) -> Fields:
    said_at = value["said_at"]
    first, after = value.get("about_from"), value.get("about_until")
    return {
        "said_at": epoch_of(said_at),
        "speaker": str(value["speaker"]),
        "group": _group(value["session"], said_at),
        "position": int(value["position"]),
        "about": (epoch_of(first), epoch_of(after)) if first and after else None,
        "tells": not (value.get("echoes") or value.get("withdrawn")),
        "facets": {"thread": str(value["session"]), "waits": str(value.get("waits", False))},
    }


def _group(session: str, said_at: str) -> str:
    """Return what a turn stands in: a thread may go on for months, so one day of it."""
    return f"{session}/{said_at[:_DATE]}"


TURNS = Kind(
    label="turns",
    name="turn",
    record=TurnRecord,
    record_id=lambda turn: turn.id,
    text=lambda turn: turn.text,
    filters=_turn_filters,
    fields=_turn_fields,
    in_store=True,
    is_searched=lambda turn: not (turn.echoes or turn.withdrawn),
)


class Turns(RecordCollection[TurnRecord]):
    """One user's turns."""

    async def voices(self) -> Voices:
        """Return who speaks in these turns: `I` is the user, `you` the assistant."""
        names = await self.speakers()
        named = tuple(name for name in names if name not in {USER, ASSISTANT})
        return Voices(participants=named, asker=USER, answerer=ASSISTANT)

    async def said_in(self, message_ids: Iterable[str]) -> list[TurnRecord]:
        """Return the turns that the messages belong to."""
        wanted = set(message_ids)
        return [turn for turn in await self.all() if wanted & set(turn.source.message_ids)]
