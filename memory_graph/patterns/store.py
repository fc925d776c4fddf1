"""Patterns in the store, and what was seen of them."""

import logging
from collections import OrderedDict, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from langgraph.store.base import BaseStore, Item, PutOp
from pydantic import JsonValue, ValidationError
from typing_extensions import override

from memory_graph.keys import stable_id
from memory_graph.patterns.causes import CausalGraph, build_graph
from memory_graph.patterns.evidence import (
    success_rate,
    trust,
    with_observations,
    without_observations,
)
from memory_graph.records import Observation, Pattern
from memory_graph.store.collection import RecordCollection
from memory_graph.store.gateway import Gateway
from memory_graph.store.values import Fields, Kind, Value, epoch_of, to_jsonable

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Observations:
    """One user's observations of patterns.

    A store has no compare-and-set: counters that several processes read, change and write
    back lose observations, items of their own do not.
    """

    gateway: Gateway
    namespace: tuple[str, ...]

    async def of(self, names: Collection[str]) -> Mapping[str, Sequence[Observation]]:
        """Return what was seen of patterns, by name."""
        if not names:
            return {}
        where: dict[str, object] | None = (
            {"pattern": next(iter(names))} if len(names) == 1 else None
        )
        seen: defaultdict[str, list[Observation]] = defaultdict(list)
        for item in await self.gateway.scan(self.namespace, where=where):
            if observation := _decode(item):
                seen[str(item.value.get("pattern"))].append(observation)
        return seen

    def put(self, name: str, seen: Observation) -> PutOp:
        """Return the write that keeps an observation; a retry overwrites its own."""
        value = to_jsonable({**seen.model_dump(mode="json"), "pattern": name})
        assert isinstance(value, dict)
        return PutOp(self.namespace, stable_id(name, seen.id), value, index=False)

    def deletion(self, name: str, seen: Observation) -> PutOp:
        """Return the write that takes an observation back."""
        return PutOp(self.namespace, stable_id(name, seen.id), None)


def _decode(item: Item) -> Observation | None:
    try:
        return Observation.model_validate(item.value)
    except ValidationError as error:
        logger.warning(
            "Skipping an unreadable observation (%d problems); `memory-graph validate` lists them.",
            error.error_count(),
        )
        return None


_MOST_GRAPHS = 200


def _store_text(pattern: Pattern) -> str:
    """Return what a situation is compared with: when it applies, not what to do then."""
    return f"{pattern.trigger.strip(' .')}. {pattern.name.replace('-', ' ')}"


def _store_filters(pattern: Pattern) -> dict[str, JsonValue]:
    return {
        "status": pattern.status,
        "kind": pattern.kind,
        "updated_epoch": int(pattern.updated_at.timestamp()),
    }


def _store_fields(value: Value) -> Fields:
    return {"said_at": epoch_of(value.get("last_validated_at") or value["updated_at"])}


PATTERNS = Kind(
    label="patterns",
    name="pattern",
    record=Pattern,
    record_id=lambda pattern: pattern.name,
    text=_store_text,
    filters=_store_filters,
    fields=_store_fields,
)


class Patterns(RecordCollection[Pattern]):
    """One user's patterns. What was seen of them is kept apart and put together on reading."""

    @property
    def observations(self) -> Observations:
        """What was seen of the patterns."""
        return Observations(self.scope.gateway, (*self.scope.root, "observations"))

    @override
    async def find(self, record_ids: Iterable[str]) -> dict[str, Pattern]:
        """Return those of the patterns that exist, by name."""
        found = await super().find(record_ids)
        seen = await self.observations.of(found)
        return {name: with_observations(each, seen.get(name, ())) for name, each in found.items()}

    @override
    async def all(self, *, where: dict[str, object] | None = None) -> list[Pattern]:
        """Return every pattern, in no particular order."""
        found = await super().all(where=where)
        seen = await self.observations.of([each.name for each in found])
        return [with_observations(each, seen.get(each.name, ())) for each in found]

    @override
    async def puts(self, records: Sequence[Pattern], now: datetime) -> list[PutOp]:
        """Return the writes that save patterns with what was seen of them."""
        puts = await super().puts([without_observations(each) for each in records], now)
        return puts + [self.observations.put(p.name, seen) for p in records for seen in p.evidence]

    async def changes(self, before: Pattern | None, after: Pattern, now: datetime) -> list[PutOp]:
        """Return the writes that make of a pattern what it is to be.

        Only what differs is written, so that what others saw or said meanwhile stays.
        """
        if before is None:
            return await self.puts([after], now)
        old = {each.id: each for each in before.evidence}
        new = {each.id: each for each in after.evidence}
        seen = [self.observations.put(after.name, e) for e in new.values() if old.get(e.id) != e]
        gone = [self.observations.deletion(after.name, old[each]) for each in old.keys() - new]
        if not gone and _says_the_same(before, after):
            return seen
        return [*await super().puts([without_observations(after)], now), *seen, *gone]

    def removals(self, pattern: Pattern) -> list[PutOp]:
        """Return the writes that delete a pattern and what was seen of it."""
        seen = [self.observations.deletion(pattern.name, each) for each in pattern.evidence]
        return [*self.deletions([pattern.name]), *seen]

    async def links(self) -> list[Pattern]:
        """Return the confirmed patterns without what was seen of them, for their relations."""
        return await super().all(where={"status": "confirmed"})

    async def confirmed(self) -> list[Pattern]:
        """Return the patterns that count, most trusted first."""
        patterns = await self.all(where={"status": "confirmed"})
        return sorted(patterns, key=lambda p: (-trust(p), -(success_rate(p) or 0), p.name))

    async def proposed(self) -> list[Pattern]:
        """Return the patterns that wait for somebody to confirm them, by name."""
        return sorted(await self.all(where={"status": "proposed"}), key=lambda p: p.name)

    async def graph(self) -> CausalGraph:
        """Return how the confirmed patterns act on each other; built anew after a write."""
        return await _GRAPHS.fresh(self)


def _says_the_same(before: Pattern, after: Pattern) -> bool:
    """Return whether only observations, and the times that follow from them, differ."""
    times = {"updated_at": before.updated_at, "last_validated_at": before.last_validated_at}
    return without_observations(before) == without_observations(after.model_copy(update=times))


@dataclass
class _Held:
    store: BaseStore
    tokens: dict[str, str]
    graph: CausalGraph


@dataclass
class _Graphs:
    """The graphs this process has built, least recently used forgotten first."""

    held: OrderedDict[tuple[int, tuple[str, ...]], _Held] = field(default_factory=OrderedDict)

    async def fresh(self, patterns: Patterns) -> CausalGraph:
        gateway = patterns.scope.gateway
        where = (id(gateway.store), patterns.namespace)
        tokens = await patterns.scope.marks.tokens(gateway, patterns.namespace)
        held = self.held.get(where)
        if held is None or held.tokens != tokens:
            graph = build_graph(await patterns.links())
            held = _Held(gateway.store, tokens, graph)
            self.held[where] = held
        self.held.move_to_end(where)
        while len(self.held) > _MOST_GRAPHS:
            self.held.popitem(last=False)
        return held.graph


_GRAPHS = _Graphs()
