"""Turns in the store: what was said, word for word."""

from collections.abc import Iterable
from typing import Final

from pydantic import JsonValue

from memory_graph.policy.wording import Voices
from memory_graph.records import TurnRecord
from memory_graph.storage.collection import Collection
from memory_graph.storage.documents import Fields
from memory_graph.storage.kinds import Kind, Value, epoch_of

USER: Final = "user"
ASSISTANT: Final = "assistant"
"""How those are called whose messages carry no name."""

_DATE = len("2026-11-16")


def _filters(turn: TurnRecord) -> dict[str, JsonValue]:
    return {"role": turn.role, "said_epoch": int(turn.said_at.timestamp())}


def _fields(value: Value) -> Fields:
    said_at = value["said_at"]
    return {
        "said_at": epoch_of(said_at),
        "speaker": str(value["speaker"]),
        # A thread may go on for months; what was said the same day belongs together.
        "group": f"{value['session']}/{said_at[:_DATE]}",
        "position": int(value["position"]),
    }


TURNS = Kind(
    label="turns",
    name="turn",
    record=TurnRecord,
    record_id=lambda turn: turn.id,
    text=lambda turn: turn.text,
    filters=_filters,
    fields=_fields,
)


class Turns(Collection[TurnRecord]):
    """One user's turns."""

    async def voices(self) -> Voices:
        """Return who speaks in these turns: `I` is the user, `you` the assistant."""
        names = [] if await self.is_large() else (await self._index()).speakers()
        named = tuple(name for name in names if name not in {USER, ASSISTANT})
        return Voices(participants=named, asker=USER, answerer=ASSISTANT)

    async def said_in(self, message_ids: Iterable[str]) -> list[TurnRecord]:
        """Return the turns that the messages belong to."""
        wanted = set(message_ids)
        return [turn for turn in await self.all() if wanted & set(turn.source.message_ids)]
