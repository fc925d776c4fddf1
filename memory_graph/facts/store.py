"""Facts in the store."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from pydantic import JsonValue

from memory_graph import clock
from memory_graph.facts.shelves import SHELVES, shelf, shelf_of
from memory_graph.facts.timeline import as_of, is_forgotten, is_over, with_version
from memory_graph.keys import normalise
from memory_graph.records import Fact
from memory_graph.store.collection import RecordCollection
from memory_graph.store.values import Fields, Kind, Value, epoch_of


def _fact_filters(fact: Fact) -> dict[str, JsonValue]:
    return {
        "current": not is_over(fact, fact.updated_at),
        "echoes": is_forgotten(fact),
        "category": fact.category,
        "said_in": fact.source.message_ids[0] if fact.source.message_ids else "",
        "shelf": (shelf_of(fact) or "") if fact.valid_to is None else "",
        "updated_epoch": int(fact.updated_at.timestamp()),
    }


def _shelf(value: Value) -> str:
    found = shelf(
        entity=str(value.get("entity") or "user"),
        kind=value.get("entity_kind"),
        attribute=value.get("attribute"),
        category=str(value.get("category")),
        is_profile=bool(value.get("profile")),
    )
    return found or ""


def _fact_fields(value: Value) -> Fields:
    """Return what an index holds of a fact; only a current one is known by name."""
    over = value.get("valid_to")
    is_current = over is None or epoch_of(over) > epoch_of(value["updated_at"])
    named = ("entity", "entity_kind", "category", "said_in") if is_current else ()
    return {
        "said_at": epoch_of(value["valid_from"]),
        "importance": int(value.get("importance", 3)),
        "pinned": bool(value.get("pinned")),
        "facets": {name: str(value.get(name) or "") for name in named}
        | ({"shelf": _shelf(value)} if named else {}),
        "tells": not value.get("echoes"),
    }


FACTS = Kind(
    label="facts",
    name="fact",
    record=Fact,
    record_id=lambda fact: fact.id,
    text=lambda fact: fact.statement,
    filters=_fact_filters,
    fields=_fact_fields,
    in_store=True,
    is_searched=lambda fact: not is_forgotten(fact),
)


ARCHIVED_FACTS = replace(FACTS, label="archived-facts", name="archived fact")


class Facts(RecordCollection[Fact]):
    """One user's facts."""

    async def current(self) -> list[Fact]:
        """Return the facts that hold now or are to come, most important and newest first."""
        now = clock.utc_now()
        facts = [each for each in await self.all(where={"current": True}) if not is_over(each, now)]
        return sorted(facts, key=lambda f: (f.pinned, f.importance, f.updated_at), reverse=True)

    async def entities(self) -> dict[str, str]:
        """Return the kind of everybody and everything that current facts are about, by name."""
        named = await self.tally(("entity", "entity_kind"), where={"current": True})
        return {normalise(entity): kind for entity, kind in named if kind}

    async def told_in(self, message_ids: Collection[str]) -> list[Fact]:
        """Return the current facts that were first told in one of these messages."""
        found = await self.find(await self.having("said_in", message_ids))
        return [fact for fact in found.values() if not is_over(fact, clock.utc_now())]

    async def on_shelves(self, most: int) -> list[Fact]:
        """Return current facts of the profile: who the user is, their home, work and people."""
        found = await self.find((await self.having("shelf", SHELVES))[:most])
        return list(found.values())

    async def as_they_were(self, moment: datetime) -> list[Fact]:
        """Return what was true at `moment`, each fact with the value it had then."""
        return [
            with_version(fact, version)
            for fact in await self.all()
            if (version := as_of(fact, moment))
        ]
