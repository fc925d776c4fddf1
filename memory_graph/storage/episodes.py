"""Episodes in the store: what happened, and what came of it."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import JsonValue

from memory_graph.policy.chaining import walk_chain
from memory_graph.records import Episode
from memory_graph.storage.collection import Collection, Found
from memory_graph.storage.documents import Fields, Query
from memory_graph.storage.kinds import Kind, Value, epoch_of

RELEVANT = 0.25
"""How well an episode fits a query at least, if it is about what that says."""

STATED = "stated/1"
"""Writes episodes in somebody's own words; theirs are searched in full."""


def _text(episode: Episode) -> str:
    parts = [
        episode.title,
        episode.summary,
        " ".join(episode.lessons),
        " ".join(episode.metadata.entities),
        " ".join(episode.metadata.tags),
        episode.content if episode.summariser == STATED else "",
    ]
    return ". ".join(part.strip(" .") for part in parts if part)


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
    }


EPISODES = Kind(
    label="episodes",
    name="episode",
    record=Episode,
    record_id=lambda episode: episode.id,
    text=_text,
    filters=_filters,
    fields=_fields,
)


class Episodes(Collection[Episode]):
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

    async def sequence(self, query: Query, limit: int) -> list[Episode]:
        """Return the most relevant episodes about a topic in the order they happened."""
        found = await self.matching(query, limit)
        return sorted((each.record for each in found), key=lambda e: (e.started_at, e.id))

    async def linked(self, episodes: Sequence[Episode]) -> list[Episode]:
        """Return what the episodes continue, and what continues them."""
        parents = await self.find(e.parent_episode_id for e in episodes if e.parent_episode_id)
        children = [
            child for each in episodes for child in await self.all(where={"parent": each.id})
        ]
        return [*parents.values(), *children]

    async def chain(self, episode_id: str) -> list[Episode]:
        """Return the arc that leads to an episode, root first; survives a cycle.

        Raises:
            RecordNotFoundError: If this user has no such episode.
        """
        known = {episode_id: await self.get(episode_id)}
        parent_id = known[episode_id].parent_episode_id
        while parent_id and parent_id not in known:
            found = await self.find([parent_id])
            if parent_id not in found:
                break
            known |= found
            parent_id = found[parent_id].parent_episode_id
        parents = {each.id: each.parent_episode_id for each in known.values()}
        return [known[each] for each in walk_chain(episode_id, parents) if each in known]
