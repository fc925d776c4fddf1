"""Facts in the store: what is known about the user."""

from dataclasses import replace
from datetime import datetime

from pydantic import JsonValue

from memory_graph.facts.timeline import as_of
from memory_graph.records import Fact, FactVersion
from memory_graph.store.collection import RecordCollection
from memory_graph.store.values import Fields, Kind, Value, epoch_of


def _fact_filters(fact: Fact) -> dict[str, JsonValue]:
    return {
        "current": fact.valid_to is None,
        "category": fact.category,
        "updated_epoch": int(fact.updated_at.timestamp()),
    }


def _fact_fields(value: Value) -> Fields:
    return {
        "said_at": epoch_of(value["valid_from"]),
        "importance": int(value.get("importance", 3)),
        "pinned": bool(value.get("pinned")),
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
)


ARCHIVED_FACTS = replace(FACTS, label="archived-facts", name="archived fact")


class Facts(RecordCollection[Fact]):
    """One user's facts."""

    async def current(self) -> list[Fact]:
        """Return the facts that hold now, most important and newest first."""
        facts = await self.all(where={"current": True})
        return sorted(facts, key=lambda f: (f.pinned, f.importance, f.updated_at), reverse=True)

    async def at(self, moment: datetime) -> list[tuple[Fact, FactVersion]]:
        """Return what was true at `moment`."""
        facts = await self.all()
        return [(fact, version) for fact in facts if (version := as_of(fact, moment))]

    async def as_they_were(self, moment: datetime) -> list[Fact]:
        """Return what was true at `moment`, each fact with the value it had then."""
        return [
            fact.model_copy(update={name: getattr(version, name) for name in _CHANGES_WITH_TIME})
            for fact, version in await self.at(moment)
        ]


_CHANGES_WITH_TIME = FactVersion.model_fields.keys() & Fact.model_fields.keys()
