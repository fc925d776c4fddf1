"""Which earlier episodes may an exchange or an episode belong to?"""

from datetime import date

from memory_graph.policy.chaining import Neighbour
from memory_graph.policy.event_dates import find_event_dates
from memory_graph.policy.themes import Theme, match_themes, theme_of_episode
from memory_graph.records import Episode
from memory_graph.storage.scope import UserMemory

_CANDIDATES = 24
"""Looked at more closely: two days of one story are seldom nearest by meaning alone."""


async def related(memory: UserMemory, text: str, theme: Theme) -> list[tuple[Neighbour, Episode]]:
    """Return the episodes close in meaning, each with how surely it tells the same story."""
    similar = await memory.episodes.similar(text, _CANDIDATES)
    return [
        (
            neighbour_of(
                episode, match_themes(theme, theme_of_episode(episode), meaning).similarity
            ),
            episode,
        )
        for episode, meaning in similar
    ]


def neighbour_of(episode: Episode, similarity: float) -> Neighbour:
    """Return what the place among episodes is decided by."""
    return Neighbour(
        episode_id=episode.id,
        similarity=similarity,
        ended_at=episode.ended_at,
        status=episode.status,
        event_dates=find_event_dates(episode.content, today=date.fromisoformat(episode.date_iso)),
        entities=frozenset(episode.metadata.entities),
        parent_id=episode.parent_episode_id,
        day=date.fromisoformat(episode.date_iso),
    )
