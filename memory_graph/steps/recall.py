"""What does memory hold that bears on a message?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memory_graph.context import Context
from memory_graph.policy.ranking import RankingWeights, relevance
from memory_graph.policy.recall import RecallPlan, RecallVerdict, judge_recall, plan_recall
from memory_graph.policy.recall_intent import RecallIntent, detect_recall_intent
from memory_graph.policy.time_phrases import TimeRange, find_time_phrase
from memory_graph.policy.wording import search_text
from memory_graph.records import Episode, Fact
from memory_graph.storage.collection import Found
from memory_graph.storage.documents import Query, Window
from memory_graph.storage.scope import UserMemory

_DISTANT = 4e9
"""Seconds since the epoch that nothing was said after."""


@dataclass(frozen=True, kw_only=True)
class Recalled:
    """What was found for a message, and how far it answers it."""

    intent: RecallIntent
    asks: bool
    """The message is a question, whether or not it is about the past."""

    time_range: TimeRange | None
    facts: list[Found[Fact]]
    episodes: list[Found[Episode]]
    verdict: RecallVerdict
    answers: list[str]
    """The statements that bear on the question, best first."""


async def recall(memory: UserMemory, text: str, context: Context, now: datetime) -> Recalled:
    """Search facts and episodes for `text`, as the intent behind it asks for."""
    [vector] = await memory.scope.embedder.embed([search_text(text)])
    weights = context.recall.weights
    query = Query(text=text, vector=vector, now=now.timestamp(), weights=weights)
    facts = await _facts(memory, query, context.recall.topk)
    intent = detect_recall_intent(text, known_names=_names(facts))
    phrase = find_time_phrase(text, now=now, zone=context.zone)
    plan = plan_recall(intent.grade, context.recall)
    facts, episodes = facts[: plan.facts], await _episodes(memory, query, phrase, plan)
    graded = _by_relevance([*facts, *episodes], weights)
    verdict = judge_recall(graded[0][0] if graded else 0.0, context.recall)
    return Recalled(
        intent=intent,
        asks=intent.grade != "none" or text.rstrip().endswith("?"),
        time_range=phrase,
        facts=facts,
        episodes=episodes,
        verdict=verdict,
        answers=[told for fit, told in graded if fit >= 0.8 * verdict.best],
    )


async def _facts(memory: UserMemory, query: Query, limit: int) -> list[Found[Fact]]:
    found = await memory.facts.search(query, limit)
    return [each for each in found if each.record.valid_to is None]


def _names(facts: Sequence[Found[Fact]]) -> set[str]:
    """Return the people and pets of the facts at hand: asking about them is recall."""
    return {found.record.entity.casefold() for found in facts} - {"user"}


async def _episodes(
    memory: UserMemory, query: Query, phrase: TimeRange | None, plan: RecallPlan
) -> list[Found[Episode]]:
    """Search episodes; a phrase about the conversation itself limits them to its range."""
    if not plan.episodes:
        return []
    recency = query.weights.recency * plan.recency_weight
    asked = replace(
        query,
        window=_window(phrase) if phrase else None,
        weights=query.weights.model_copy(update={"recency": recency}),
    )
    return await memory.episodes.search(asked, plan.episodes)


def _window(phrase: TimeRange) -> Window:
    filters = phrase.hard and phrase.scopes_conversation
    return Window(
        start=phrase.start.timestamp() if phrase.start else 0.0,
        end=phrase.end.timestamp() if phrase.end else _DISTANT,
        mode="hard" if filters else "soft",
    )


def _by_relevance(
    found: Sequence[Found[Fact] | Found[Episode]], weights: RankingWeights
) -> list[tuple[float, str]]:
    """Return how well each hit fits the words asked for (0–1) with its text, best first."""
    scored = [(relevance(each.parts, weights), _told(each.record)) for each in found]
    return sorted(scored, key=lambda pair: -pair[0])


def _told(record: Fact | Episode) -> str:
    return record.statement if isinstance(record, Fact) else record.human_line
