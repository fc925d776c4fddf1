"""Patterns in the store: what tends to follow from what."""

from collections import OrderedDict
from dataclasses import dataclass, field

from langgraph.store.base import BaseStore
from pydantic import JsonValue

from memory_graph.policy.causal_graph import CausalGraph, build_graph
from memory_graph.policy.causality import success_rate, trust
from memory_graph.records import Pattern
from memory_graph.storage.collection import Collection, Kind
from memory_graph.storage.documents import Document
from memory_graph.storage.freshness import read_tokens

_MOST_GRAPHS = 200


def _text(pattern: Pattern) -> str:
    """Return what a situation is compared with: when it applies, not what to do then."""
    return f"{pattern.trigger.strip(' .')}. {pattern.name.replace('-', ' ')}"


def _filters(pattern: Pattern) -> dict[str, JsonValue]:
    return {
        "status": pattern.status,
        "kind": pattern.kind,
        "updated_epoch": int(pattern.updated_at.timestamp()),
    }


def _document(pattern: Pattern) -> Document:
    at = pattern.last_validated_at or pattern.updated_at
    return Document(key=pattern.name, text=_text(pattern), said_at=at.timestamp())


PATTERNS = Kind(
    label="patterns",
    name="pattern",
    record=Pattern,
    record_id=lambda pattern: pattern.name,
    text=_text,
    filters=_filters,
    document=_document,
)


class Patterns(Collection[Pattern]):
    """One user's patterns."""

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
        tokens = await read_tokens(gateway, patterns.namespace)
        held = self.held.get(where)
        if held is None or held.tokens != tokens:
            graph = build_graph(await patterns.all(where={"status": "confirmed"}))
            held = _Held(gateway.store, tokens, graph)
            self.held[where] = held
        self.held.move_to_end(where)
        while len(self.held) > _MOST_GRAPHS:
            self.held.popitem(last=False)
        return held.graph


_GRAPHS = _Graphs()
