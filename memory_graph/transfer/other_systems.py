"""Read the data of other systems: ai-agents, LangMem and mem0."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import get_args

from langgraph.store.base import Item
from pydantic import ValidationError

from memory_graph.episodes.building import dated
from memory_graph.errors import StoreUnavailableError
from memory_graph.keys import stable_id
from memory_graph.patterns.evidence import normalise_name
from memory_graph.records import Episode, FactCategory, Pattern, Relation, RelationType, Source
from memory_graph.store.backends.protocol import EVERYTHING
from memory_graph.store.scope import UserMemory
from memory_graph.transfer.imports import (
    Incoming,
    Statement,
    mappings,
    misfit,
    read_moment,
    refused,
    text_of,
)

_RELATIONS: frozenset[str] = frozenset(get_args(RelationType))


def read_folder(files: Mapping[str, object], now: datetime, project: str = "") -> Incoming:
    """Return the causal graphs and episodes in the JSON files of a folder.

    If a project is named, all of it belongs to that project.
    """
    found = Incoming()
    for name, content in files.items():
        if not isinstance(content, Mapping):
            found += refused(name, "is neither an episode nor a causal graph")
        elif "patterns" in content or "nodes" in content:
            found += read_causal_graph(content, now)
        else:
            found += read_episode(content)
    if not project:
        return found
    return replace(
        found,
        episodes=tuple(e.model_copy(update={"project": project}) for e in found.episodes),
        patterns=tuple(p.model_copy(update={"projects": (project,)}) for p in found.patterns),
    )


def read_episode(entry: Mapping[str, object]) -> Incoming:
    """Return one episode file as an episode."""
    where = text_of(entry, "id") or text_of(entry, "session")
    at = read_moment(entry.get("timestamp"))
    if not where or at is None:
        return refused(where or "episode", "has no id or no timestamp")
    task, session = text_of(entry, "task") or where, text_of(entry, "session") or where
    lessons, metrics = entry.get("lessons"), entry.get("metrics")
    decisions, events = _steps(entry.get("decisions")), _steps(entry.get("events"))
    stamps = (each["timestamp"] for each in (*decisions, *events))
    times = [at, *(each for each in stamps if isinstance(each, datetime))]
    fields: dict[str, object] = {
        "id": f"ep-{stable_id('ai-agents', where)}",
        "title": task,
        "summary": task,
        **dated(at, task),
        **dict.fromkeys(("created_at", "updated_at"), at),
        "started_at": min(times),
        "ended_at": max(times),
        "outcome": text_of(entry, "outcome").casefold() or "unknown",
        "decisions": decisions,
        "events": events,
        "lessons": [str(each) for each in lessons] if isinstance(lessons, list) else [],
        "metrics": {
            str(name): float(value)
            for name, value in (metrics.items() if isinstance(metrics, Mapping) else ())
            if isinstance(value, int | float) and not isinstance(value, bool)
        },
        "metadata": {
            "session_id": session,
            "tags": ["memory", f"session-{session.rpartition('-')[2]}"],
        },
        "source": Source(thread_id=f"ai-agents:{session}"),
        "note": {"Relations": "- migrated_from [[ai-agents episodic memory]]"},
        "summariser": "ai-agents/1",
    }
    try:
        return Incoming(episodes=(Episode.model_validate(fields),))
    except ValidationError as error:
        return misfit(where, error)


def _steps(entries: object) -> list[dict[str, object]]:
    """Return decisions or events without empty fields, dated with their zone."""
    return [
        {
            **{name: value for name, value in each.items() if value not in (None, "", [])},
            "timestamp": read_moment(each.get("timestamp")),
        }
        for each in mappings(entries)
    ]


def read_causal_graph(entry: Mapping[str, object], now: datetime) -> Incoming:
    """Return the patterns of a causal graph, with the edges that start at them.

    A node that is not a pattern becomes one that was never tried, so that paths stay whole.
    """
    nodes, edges = mappings(entry.get("nodes")), mappings(entry.get("edges"))
    labels = {text_of(node, "id"): text_of(node, "label") for node in nodes}
    found = Incoming()
    relations: dict[str, list[Relation]] = {}
    for edge in edges:
        source, target = text_of(edge, "source"), text_of(edge, "target")
        kind = text_of(edge, "type").casefold()
        start, end = (normalise_name(labels.get(each) or each) for each in (source, target))
        if kind not in _RELATIONS:
            found += refused(f"{source} → {target}", "is of an unknown kind of relation")
        elif end:
            relation = Relation.model_validate({"type": kind, "target": end})
            relations.setdefault(start, []).append(relation)
    stated = mappings(entry.get("patterns"))
    known = {normalise_name(text_of(each, "name")) for each in stated}
    for node in nodes:
        label = text_of(node, "label") or text_of(node, "id")
        if normalise_name(text_of(node, "label")) not in known:
            about = f"Known as: {text_of(node, 'type') or 'node'}."
            untried = {"name": label, "trigger": label, "description": about}
            stated.append({**untried, "occurrences": 0, "success_rate": 0.0})
    for each in stated:
        own = relations.get(normalise_name(text_of(each, "name")), [])
        found += _read_pattern(each, tuple(dict.fromkeys(own)), now)
    return found


def _read_pattern(
    entry: Mapping[str, object], relations: tuple[Relation, ...], now: datetime
) -> Incoming:
    where = text_of(entry, "name") or text_of(entry, "id") or "pattern"
    tries, rate = entry.get("occurrences"), entry.get("success_rate")
    if not isinstance(tries, int) or not isinstance(rate, int | float):
        return refused(where, "has no occurrences or no success_rate")
    used = read_moment(entry.get("last_used"))
    try:
        pattern = Pattern(
            name=normalise_name(where),
            kind="antipattern" if where.startswith("ANTIPATTERN") else "pattern",
            trigger=text_of(entry, "trigger"),
            action=text_of(entry, "action"),
            description=text_of(entry, "description"),
            occurrences=tries,
            successes=round(rate * tries, 6),
            relations=relations,
            last_validated_at=used,
            created_at=used or now,
            updated_at=used or now,
            source=Source(thread_id="ai-agents:causal-graph"),
            note={"Relations": "- migrated_from [[ai-agents causal graph]]"},
        )
    except ValidationError as error:
        return misfit(where, error)
    return Incoming(patterns=(pattern,))


# — LangMem —
async def read_langmem(memory: UserMemory, namespace: tuple[str, ...]) -> Incoming:
    """Return what LangMem keeps under a namespace of the same store."""
    gateway = memory.scope.gateway
    try:
        async with asyncio.timeout(gateway.read_timeout_s):
            items = await gateway.store.asearch(namespace, limit=EVERYTHING)
    except TimeoutError as error:
        raise StoreUnavailableError("The store did not answer in time.") from error
    # A search also covers namespaces below this one, which may hold our own records.
    return read_items(item for item in items if tuple(item.namespace) == namespace)


def read_items(items: Iterable[Item]) -> Incoming:
    """Return the items of one namespace as statements, in the order of their keys.

    LangMem's own `Memory` holds one text; what a custom schema holds is told field by field.
    """
    found = Incoming()
    for item in sorted(items, key=lambda each: each.key):
        texts = _statements(item.value)
        if not texts:
            problem = "is no memory of LangMem's: it has no `kind` and `content`"
            found += refused(item.key, problem)
        place, at = "/".join(item.namespace), item.updated_at
        statements = (
            Statement(
                where=item.key,
                text=text,
                at=at if at.tzinfo else at.replace(tzinfo=UTC),  # the SQLite store leaves it out
                source=Source(message_ids=(f"langmem:{place}/{item.key}{field}",)),
                reader="langmem/1",
            )
            for field, text in texts.items()
        )
        found += Incoming(statements=tuple(statements))
    return found


def _statements(value: Mapping[str, object]) -> dict[str, str]:
    """Return what an item tells: one text, or one for each field of a custom schema."""
    kind, content = text_of(value, "kind"), value.get("content")
    if not kind or not isinstance(content, str | Mapping):
        return {}
    if isinstance(content, str) or kind == "Memory":
        text = content if isinstance(content, str) else text_of(content, "content")
        return {"": text.strip()} if text.strip() else {}
    return {
        f"#{name}": f"{str(name).replace('_', ' ').capitalize()} is {text}"
        for name in content
        if (text := text_of(content, name))
    }


# — mem0 —
ANOTHER_USER = "belongs to another user"

_CATEGORIES: dict[str, FactCategory] = {
    "personal_details": "profile",
    "family": "profile",
    "health": "health",
    "professional_details": "work",
    "work": "work",
    "food": "preference",
    "music": "preference",
    "entertainment": "preference",
    "user_preferences": "preference",
    "goals": "goal",
}


def read_export(export: object, user_id: str, now: datetime) -> Incoming:
    """Return the memories of one user as statements; those of anybody else are left out.

    Takes the bare list or the object that holds it as `results` or `memories`.
    """
    entries = export
    if isinstance(export, Mapping):
        entries = export.get("results", export.get("memories"))
    if not isinstance(entries, list):
        return refused("the file", "holds no list of memories")
    found = Incoming()
    for number, entry in enumerate(mappings(entries), 1):
        named, owner = text_of(entry, "id"), text_of(entry, "user_id")
        where, text = named or f"entry {number}", text_of(entry, "memory")
        if not text or not named:
            found += refused(where, "has no id or no text")
        elif owner and owner != user_id:
            found += refused(where, ANOTHER_USER)
        else:
            changed = read_moment(entry.get("updated_at"))
            given = entry.get("categories")
            categories = map(str, given if isinstance(given, list) else ())
            noted = Statement(
                where=where,
                text=text,
                at=changed or read_moment(entry.get("created_at")) or now,
                category=next((_CATEGORIES[e] for e in categories if e in _CATEGORIES), "other"),
                source=Source(message_ids=(f"mem0:{where}",)),
                reader="mem0/1",
            )
            found += Incoming(statements=(noted,))
    return found
