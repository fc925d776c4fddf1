"""What was said and done at the time, and about the topic, that somebody asks about?"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from memory_graph.policy.questions import topic_of
from memory_graph.policy.recall import RecallPlan, Stage, plan_stages
from memory_graph.policy.time_phrases import TimeRange
from memory_graph.policy.wording import without_names
from memory_graph.records import Episode, TurnRecord
from memory_graph.storage.collection import Found
from memory_graph.storage.documents import Query, Window
from memory_graph.storage.scope import UserMemory

_DISTANT = 4e9
"""Seconds since the epoch that nothing was said after."""

_BEST = 2
"""Episodes whose neighbours in their chain are brought along."""

_ECHOES = 2
"""How many times as many turns are read, since echoes are left out afterwards."""


@dataclass(frozen=True)
class Past:
    """What a look back found."""

    episodes: list[Found[Episode]] = field(default_factory=list)
    turns: list[Found[TurnRecord]] = field(default_factory=list)
    stage: Stage = field(default_factory=lambda: Stage(None))
    """Where it was found."""


async def look_back(
    memory: UserMemory, query: Query, phrase: TimeRange | None, plan: RecallPlan
) -> Past:
    """Search episodes and turns, wider step by step while nothing lies in the time asked about."""
    topic = topic_of(query.text, phrase.phrase if phrase else None)
    query = replace(query, topic=topic)
    recency = query.weights.recency * plan.recency_weight
    weights = query.weights.model_copy(update={"recency": recency})
    past = Past()
    for stage in plan_stages(phrase):
        asked = replace(query, window=_window(stage))
        past = Past(
            await memory.episodes.search(replace(asked, weights=weights), plan.episodes),
            await search_turns(memory, asked, plan.turns),
            stage,
        )
        if past.episodes or past.turns:
            break
    return replace(past, episodes=await _with_chain(memory, past.episodes, plan.episodes))


async def search_turns(memory: UserMemory, query: Query, limit: int) -> list[Found[TurnRecord]]:
    """Return the turns that bear on `query`, best first, however old.

    Names of those who speak tell whose words are wanted; they are no topic.
    """
    if not limit:
        return []
    voices = await memory.turns.voices()
    if voices.participants:
        about = without_names(query.text, voices.participants)
        [vector] = await memory.scope.embedder.embed([about])
        query = replace(query, vector=vector)
    weights = query.weights.model_copy(update={"recency": 0.0})
    asked = replace(query, voices=voices, weights=weights)
    found = await memory.turns.search(asked, _ECHOES * limit)
    return [each for each in found if not each.record.echoes][:limit]


async def _with_chain(
    memory: UserMemory, found: Sequence[Found[Episode]], limit: int
) -> list[Found[Episode]]:
    """Add what the best episodes continue, and what continues them, in place of the last."""
    best = [each.record for each in found[:_BEST]]
    known = {each.record.id for each in found}
    linked = [e for e in await memory.episodes.linked(best) if e.id not in known][:_BEST]
    kept = list(found[: max(limit - len(linked), _BEST)])
    return [*kept, *(Found(episode, 0.0, {"chain": 1.0}) for episode in linked)][:limit]


def _window(stage: Stage) -> Window | None:
    if stage.start is None and stage.end is None:
        return None
    return Window(
        start=stage.start.timestamp() if stage.start else 0.0,
        end=stage.end.timestamp() if stage.end else _DISTANT,
        mode="hard" if stage.filters else "soft",
    )
