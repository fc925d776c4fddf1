"""How often was a pattern tried? One item per try, so that writers everywhere are all counted."""

import logging
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from langgraph.store.base import Item, PutOp
from pydantic import ValidationError

from memory_graph.records import Observation
from memory_graph.storage.gateway import Gateway
from memory_graph.storage.jsonable import to_jsonable
from memory_graph.storage.labels import stable_id

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
