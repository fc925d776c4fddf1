"""Which episodes does somebody look for?"""

from dataclasses import dataclass
from datetime import datetime

from memory_graph.policy.periods import Period
from memory_graph.records import Episode, Outcome
from memory_graph.storage.collection import Found
from memory_graph.storage.documents import Query
from memory_graph.storage.scope import UserMemory

_EVERY = 10_000
_OPEN = Period()


@dataclass(frozen=True, kw_only=True)
class EpisodeQuery:
    """What is looked for; whatever is left empty does not matter."""

    text: str = ""
    period: Period = _OPEN
    project: str = ""
    outcome: Outcome | None = None
    tool: str = ""
    participant: str = ""
    tag: str = ""
    fact_id: str = ""
    limit: int = 10


async def find_episodes(
    memory: UserMemory, query: EpisodeQuery, now: datetime
) -> list[Found[Episode]]:
    """Return the episodes that fit, best first; without a text, the latest first."""
    if query.text.strip():
        found = await memory.episodes.matching(await _asked(memory, query.text, now), _EVERY)
    else:
        latest = await memory.episodes.recent(_EVERY)
        found = [Found(episode, 0.0, {}) for episode in latest]
    fitting = [each for each in found if fits(each.record, query)][: query.limit]
    touched = await memory.access.touch([each.record.id for each in fitting], now)
    await memory.commit(touched)
    return fitting


async def replay(memory: UserMemory, topic: str, limit: int, now: datetime) -> list[Episode]:
    """Return the episodes about a topic in the order they happened; the most relevant ones."""
    return await memory.episodes.sequence(await _asked(memory, topic, now), limit)


def fits(episode: Episode, query: EpisodeQuery) -> bool:
    """Return whether an episode has everything a query asks for besides its text."""
    known = episode.metadata
    return all(
        (
            query.period.holds(episode.ended_at),
            not query.project or _same(query.project, (episode.project or "",)),
            query.outcome in (None, episode.outcome),
            not query.tool or _same(query.tool, known.tools_used),
            not query.participant or _same(query.participant, known.participants),
            not query.tag or _same(query.tag, known.tags),
            not query.fact_id or query.fact_id in {link.fact_id for link in episode.facts},
        )
    )


def _same(wanted: str, names: tuple[str, ...]) -> bool:
    return wanted.strip().casefold() in {name.casefold() for name in names}


async def _asked(memory: UserMemory, text: str, now: datetime) -> Query:
    [vector] = await memory.scope.embedder.embed([text])
    return Query(text=text, vector=vector, now=now.timestamp(), weights=memory.scope.weights)
