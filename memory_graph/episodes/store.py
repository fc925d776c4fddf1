"""Episodes in the store."""

from collections.abc import Mapping
from datetime import datetime

from pydantic import JsonValue

from memory_graph.records import Episode
from memory_graph.store.collection import Found, RecordCollection
from memory_graph.store.values import Fields, Kind, Query, Value, epoch_of

RELEVANT = 0.25
"""How well an episode fits a query at least, if it is about what that says."""


STATED = "stated/1"
"""Writes episodes in somebody's own words; theirs are searched in full."""


def walk_chain(episode_id: str, parent_of: Mapping[str, str | None]) -> tuple[str, ...]:
    """Return the episodes that lead to `episode_id`, the first one first and itself last.

    A chain that runs in a circle is walked once; an unknown parent ends it.
    """
    chain: list[str] = []
    current: str | None = episode_id
    while current is not None and current in parent_of and current not in chain:
        chain.append(current)
        current = parent_of[current]
    return tuple(reversed(chain))


def _text(episode: Episode) -> str:
    """Return the summary and what the rest adds to it: mostly the user's own sentence, known.

    Of an episode that somebody stated, that is everything they told, to its end.
    """
    known = episode.metadata
    named = (str(value) for value in known.free.values() if isinstance(value, str | int | float))
    parts = [episode.title.strip(" ."), *episode.lessons, *known.entities, *known.tags, *named]
    if episode.summariser == STATED:
        parts += [episode.content, " ".join(known.participants)]
        parts.append(". ".join(each.chosen for each in episode.decisions))
        parts.append(". ".join(each.content for each in episode.events))
    told = episode.summary.casefold()
    more = dict.fromkeys(part for part in parts if part and part.casefold() not in told)
    return ". ".join([episode.summary.rstrip(" ."), *more]) if more else episode.summary


def _filters(episode: Episode) -> dict[str, JsonValue]:
    return {
        "parent": episode.parent_episode_id or "",
        "status": episode.status,
        "outcome": episode.outcome,
        "date_iso": episode.date_iso,
        "week": episode.week,
        "year": episode.year,
        "started_epoch": int(episode.started_at.timestamp()),
        "ended_epoch": int(episode.ended_at.timestamp()),
    }


def _fields(value: Value) -> Fields:
    return {
        "said_at": epoch_of(value["ended_at"]),
        "importance": int(value.get("importance", 3)),
        "facets": {},
        "about": _span(value),
    }


def _span(value: Value) -> tuple[float, float] | None:
    """Return the days of an episode that was merged over several."""
    if not value.get("days"):
        return None
    return epoch_of(value["started_at"]), epoch_of(value["ended_at"]) + 1


EPISODES = Kind(
    label="episodes",
    name="episode",
    record=Episode,
    record_id=lambda episode: episode.id,
    text=_text,
    filters=_filters,
    fields=_fields,
    in_store=True,
)


class Episodes(RecordCollection[Episode]):
    """One user's episodes."""

    async def recent(self, limit: int, *, since: datetime | None = None) -> list[Episode]:
        """Return the latest episodes, newest first."""
        after: dict[str, object] = {"$gte": int(since.timestamp())} if since else {}
        episodes = await self.all(where={"ended_epoch": after} if after else None)
        return sorted(episodes, key=lambda e: (e.ended_at, e.id), reverse=True)[:limit]

    async def matching(self, query: Query, limit: int) -> list[Found[Episode]]:
        """Return the episodes that are about what a query says, best first."""
        found = await self.search(query, limit)
        return [each for each in found if each.relevance >= RELEVANT]

    async def chain(self, episode_id: str) -> list[Episode]:
        """Return what led to an episode, the first one first and itself last; survives a cycle.

        Raises:
            RecordNotFoundError: If this user has no such episode.
        """
        above = await self.get(episode_id)
        chain = {above.id: above}
        while (parent_id := above.parent_episode_id) and parent_id not in chain:
            found = await self.find([parent_id])
            if parent_id not in found:
                break
            above = found[parent_id]
            chain[above.id] = above
        return [*reversed(chain.values())]

    async def best(self, query: Query, limit: int) -> list[Found[Episode]]:
        """Return what fits a query best, however little that is, with how well it fits."""
        return [each for each in await self.search(query, limit) if each.relevance > 0]
