"""Patterns and their observations in the store."""

import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from langgraph.store.base import PutOp
from pydantic import ValidationError
from typing_extensions import override

from memory_graph.keys import stable_id
from memory_graph.patterns import evidence
from memory_graph.records import Observation, Pattern
from memory_graph.store.collection import RecordCollection
from memory_graph.store.values import Kind, epoch_of, to_jsonable

if TYPE_CHECKING:
    from memory_graph.store.index import NamespaceIndex

T = TypeVar("T")
logger = logging.getLogger(__name__)


PATTERNS = Kind(
    label="patterns",
    name="pattern",
    record=Pattern,
    record_id=lambda pattern: pattern.name,
    # A situation is compared with when a pattern applies, not with what to do then.
    text=lambda pattern: f"{pattern.trigger.strip(' .')}. {pattern.name.replace('-', ' ')}",
    filters=lambda pattern: {
        "status": pattern.status,
        "kind": pattern.kind,
        "updated_epoch": int(pattern.updated_at.timestamp()),
    },
    fields=lambda value: {
        "said_at": epoch_of(value.get("last_validated_at") or value["updated_at"])
    },
)


class Patterns(RecordCollection[Pattern]):
    """One user's patterns. Observations are kept apart and added on reading.

    A store has no compare-and-set: a counter that several processes read, change and write back
    would lose observations; separate items do not.
    """

    @property
    def observations(self) -> tuple[str, ...]:
        """Where observations are kept."""
        return (*self.scope.root, "observations")

    @override
    async def find(self, record_ids: Iterable[str]) -> dict[str, Pattern]:
        """Return the patterns that exist, by name."""
        found = await super().find(record_ids)
        return {each.name: each for each in await self._with_seen(found.values())}

    @override
    async def all(self, *, where: dict[str, object] | None = None) -> list[Pattern]:
        """Return every pattern, in no particular order."""
        return await self._with_seen(await super().all(where=where))

    @override
    async def _read(
        self, index: "NamespaceIndex", choose: Callable[[], Mapping[str, T]]
    ) -> list[tuple[Pattern, T]]:
        found = await super()._read(index, choose)
        seen = {each.name: each for each in await self._with_seen([each for each, _ in found])}
        return [(seen[each.name], what) for each, what in found]

    async def _with_seen(self, patterns: Collection[Pattern]) -> list[Pattern]:
        if not patterns:
            return []
        only = [each.name for each in patterns]
        where: dict[str, object] | None = {"pattern": only[0]} if len(only) == 1 else None
        seen: Mapping[str, list[Observation]] = defaultdict(list)
        for item in await self.scope.gateway.scan(self.observations, where=where):
            try:
                seen[str(item.value.get("pattern"))].append(Observation.model_validate(item.value))
            except ValidationError as error:
                logger.warning(
                    "Skipping an unreadable observation (%d problems); "
                    "`memory-graph validate` lists them.",
                    error.error_count(),
                )
        return [evidence.with_observations(each, seen[each.name]) for each in patterns]

    def _put_seen(self, name: str, seen: Observation) -> PutOp:
        """Return the write that keeps an observation; a retry writes the same item again."""
        value = to_jsonable({**seen.model_dump(mode="json"), "pattern": name})
        assert isinstance(value, dict)
        return PutOp(self.observations, stable_id(name, seen.id), value, index=False)

    def _delete_seen(self, name: str, seen: Observation) -> PutOp:
        return PutOp(self.observations, stable_id(name, seen.id), None)

    @override
    async def puts(self, records: Sequence[Pattern], now: datetime) -> list[PutOp]:
        """Return the writes that save patterns with their observations."""
        puts = await super().puts([*map(evidence.without_observations, records)], now)
        return puts + [self._put_seen(p.name, seen) for p in records for seen in p.evidence]

    async def changes(self, before: Pattern | None, after: Pattern, now: datetime) -> list[PutOp]:
        """Return the writes that turn the stored pattern into the given one.

        Only what differs is written, so that concurrent changes by others stay.
        """
        if before is None:
            return await self.puts([after], now)
        old = {each.id: each for each in before.evidence}
        new = {each.id: each for each in after.evidence}
        seen = [self._put_seen(after.name, e) for e in new.values() if old.get(e.id) != e]
        gone = [self._delete_seen(after.name, old[each]) for each in old.keys() - new]
        bare = evidence.without_observations(after)
        # The times follow from observations, which readers add again.
        times = {"updated_at": before.updated_at, "last_validated_at": before.last_validated_at}
        same = evidence.without_observations(before) == bare.model_copy(update=times)
        return seen if same and not gone else [*await super().puts([bare], now), *seen, *gone]

    def removals(self, pattern: Pattern) -> list[PutOp]:
        """Return the writes that delete a pattern and its observations."""
        seen = [self._delete_seen(pattern.name, each) for each in pattern.evidence]
        return [*self.deletions([pattern.name]), *seen]

    async def links(self) -> list[Pattern]:
        """Return the confirmed patterns without observations, for their relations."""
        return await super().all(where={"status": "confirmed"})

    async def confirmed(self) -> list[Pattern]:
        """Return the patterns that count, most trusted first."""
        rate, trust = evidence.success_rate, evidence.trust
        found = await self.all(where={"status": "confirmed"})
        return sorted(found, key=lambda each: (-trust(each), -(rate(each) or 0.0), each.name))
