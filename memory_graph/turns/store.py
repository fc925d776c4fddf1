"""Turns in the store."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final, NamedTuple

from pydantic import JsonValue

from memory_graph.language.voices import Voices
from memory_graph.records import Handling, TurnRecord
from memory_graph.store.collection import RecordCollection
from memory_graph.store.values import Fields, Kind, Value, epoch_of

USER: Final = "user"
ASSISTANT: Final = "assistant"
"""How those are called whose messages carry no name."""

_TOLD_BY = {"captured": True, "text": True, "echoes": True, "withdrawn": True}

WAITS, GONE = "waits", "gone"
"""What the inbox lists of a turn: somebody has still to look at it, or the thread went back."""

WENT_BACK = "went_back"
"""Why a turn is withdrawn that is read again when the thread comes back to it."""

ROLLED_BACK = "rolled_back"
"""Why a turn is withdrawn that stays so: somebody took back what came of it."""

_DATE = len("2026-11-16")


def _turn_filters(turn: TurnRecord) -> dict[str, JsonValue]:
    group = _group(turn.session, turn.said_at.isoformat())
    return {
        "role": turn.role,
        "said_epoch": int(turn.said_at.timestamp()),
        "group": group,
        "thread": turn.session if turn.role == USER else "",
        "inbox": _inbox_of(turn),
    }


def _inbox_of(turn: TurnRecord) -> str:
    """Return what is still to be done with a turn, as the inbox lists it."""
    if turn.role != USER:
        return ""
    if turn.withdrawn:
        return GONE
    return "" if turn.read.state == turn.captured.state == "done" else WAITS


def _turn_fields(value: Value) -> Fields:
    said_at = value["said_at"]
    first, after = value.get("about_from"), value.get("about_until")
    return {
        "said_at": epoch_of(said_at),
        "speaker": str(value["speaker"]),
        "group": _group(value["session"], said_at),
        "position": int(value["position"]),
        "about": (epoch_of(first), epoch_of(after)) if first and after else None,
        "tells": _tells(value),
        "listed": _listed(value) if value["role"] == USER else {},
    }


def _listed(value: Value) -> dict[str, str]:
    captured = value.get("captured") or {}
    return {
        "thread": str(value.get("thread") or ""),
        "inbox": str(value.get("inbox") or ""),
        "position": str(value["position"]),
        "action": str(captured.get("action") or ""),
        "episode": str(captured.get("memory_id") or ""),
    }


def _tells(value: Value) -> bool:
    """Say whether a turn is found: not while its exchange goes on, nor without words."""
    is_over = (value.get("captured") or {}).get("state") != "open"
    return is_over and bool(value["text"]) and not (value.get("echoes") or value.get("withdrawn"))


def _group(session: str, said_at: str) -> str:
    """Return what a turn stands in: a thread may go on for months, so one day of it."""
    return f"{session}/{said_at[:_DATE]}"


class Listed(NamedTuple):
    """A turn's place in its thread, and whether it waits or is gone."""

    position: int
    inbox: str
    action: str
    """What capture decided: `create`, `merge`, `skip`, or nothing yet."""

    episode: str

    @property
    def at(self) -> datetime:
        """When it was said: positions are milliseconds."""
        return datetime.fromtimestamp(self.position / 1000, UTC)


TURNS = Kind(
    label="turns",
    name="turn",
    record=TurnRecord,
    record_id=lambda turn: turn.id,
    text=lambda turn: turn.text,
    filters=_turn_filters,
    fields=_turn_fields,
    in_store=True,
    is_searched=lambda turn: _tells(turn.model_dump(include=_TOLD_BY)),
)


class Turns(RecordCollection[TurnRecord]):
    """One user's turns."""

    async def voices(self) -> Voices:
        """Return who speaks in these turns: `I` is the user, `you` the assistant."""
        names = await self.speakers()
        named = tuple(name for name in names if name not in {USER, ASSISTANT})
        return Voices(participants=named, asker=USER, answerer=ASSISTANT)

    async def told(self) -> list[TurnRecord]:
        """Return what was said and may be found: no question, nothing withdrawn or unfinished."""
        return [turn for turn in await self.all() if self.kind.is_searched(turn)]

    async def in_thread(self, thread_id: str) -> "dict[str, Listed]":
        """Return what the inbox lists of the user's turns of a thread, by the ids of records."""
        return _by_key(await self.listing(thread=thread_id)) if thread_id else {}

    async def since(self, moment: datetime) -> "dict[str, Listed]":
        """Return what the inbox lists of the user's turns of all threads since a moment."""
        least = int(moment.timestamp())
        found = await self.listing({"said_epoch": {"$gte": least}, "role": USER})
        listed = _by_key(found)
        return {key: each for key, each in listed.items() if each.position >= least * 1000}

    async def waiting(self) -> list[TurnRecord]:
        """Return the user's turns that somebody has still to look at, oldest first."""
        found = await self.find(await self.listing(inbox=WAITS))
        return sorted(found.values(), key=lambda turn: turn.position)

    async def said_in(self, message_ids: Iterable[str]) -> list[TurnRecord]:
        """Return the turns that the messages belong to."""
        wanted = set(message_ids)
        return [turn for turn in await self.all() if wanted & set(turn.source.message_ids)]


def withdrawn(record: TurnRecord, reason: str) -> TurnRecord:
    """Return the record of a turn of which nothing holds: its words are gone."""
    read = Handling(state="done", reason=reason, at=record.read.at)
    done = Handling(state="done", reason=reason, at=record.captured.at)
    changes = {"text": "", "read": read, "captured": done, "withdrawn": True, "has_episode": None}
    return record.model_copy(update=changes)


def record_id(mark: str, role: str = USER) -> str:
    """Return the id of the record of one side of a turn."""
    return f"turn-{mark}-{role}"


def mark_in(record_id: str) -> str:
    """Return the mark of the turn that a record belongs to."""
    return record_id.removeprefix("turn-").rpartition("-")[0]


def _by_key(found: Mapping[str, Mapping[str, str]]) -> dict[str, Listed]:
    return {
        key: Listed(int(each["position"]), each["inbox"], each["action"], each["episode"])
        for key, each in found.items()
    }
