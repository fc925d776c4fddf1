"""What does memory hold that bears on a message?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memory_graph.context import Context
from memory_graph.policy.questions import split_question, topic_of
from memory_graph.policy.recall import (
    Reach,
    RecallPlan,
    RecallPolicy,
    RecallVerdict,
    judge_recall,
    plan_recall,
)
from memory_graph.policy.recall_intent import RecallGrade, RecallIntent, detect_recall_intent
from memory_graph.policy.recall_intent.meaning import weigh_meaning
from memory_graph.policy.time_phrases import TimeRange, find_time_phrase
from memory_graph.records import Episode, Fact, TurnRecord
from memory_graph.steps.answering import choose_answers
from memory_graph.steps.looking_back import Past, look_back
from memory_graph.storage.collection import Found, R
from memory_graph.storage.documents import Query
from memory_graph.storage.scope import UserMemory


@dataclass(frozen=True, kw_only=True)
class Recalled:
    """What was found for a message, and how far it answers it."""

    intent: RecallIntent
    asks: bool
    """The message is a question, whether or not it is about the past."""

    time_range: TimeRange | None
    reach: Reach | None
    """How far from that time one had to look; empty when nothing was left out."""

    facts: list[Found[Fact]]
    episodes: list[Found[Episode]]
    turns: list[Found[TurnRecord]]
    verdict: RecallVerdict
    answers: list[str]
    """What bears on the question, best first, in words."""

    is_partial: bool = False
    """Several things were asked, and memory holds nothing about one of them."""


@dataclass(frozen=True)
class _Part:
    """What was found for one of the questions in a message."""

    past: Past
    verdict: RecallVerdict
    answers: list[str] = field(default_factory=list)


async def recall(memory: UserMemory, text: str, context: Context, now: datetime) -> Recalled:
    """Search facts, episodes and, when asked to look back, what was said, word for word."""
    policy = context.recall
    query = await _query(memory, text, policy, now.timestamp())
    facts = await _facts(memory, query, policy.topk)
    meaning = weigh_meaning(query.vector, memory.scope.embedder.name)
    intent = detect_recall_intent(text, meaning=meaning, known_names=_names(facts))
    plan = plan_recall(intent.grade, policy)
    phrase = None
    if intent.grade != "none":
        phrase = find_time_phrase(text, now=now, zone=context.zone)
    asked = _Asked(memory, query, phrase, plan, policy, intent.grade)
    parts = await _parts(asked, facts)
    worst = min(parts, key=lambda part: part.verdict.best).verdict
    best = max(parts, key=lambda part: (part.verdict.found == "found", part.verdict.best)).verdict
    return Recalled(
        intent=intent,
        asks=intent.grade != "none" or text.rstrip().endswith("?"),
        time_range=phrase,
        reach=parts[0].past.stage.reach,
        facts=facts[: plan.facts],
        episodes=_merged((part.past.episodes for part in parts), plan.episodes),
        turns=_merged((part.past.turns for part in parts), plan.turns),
        verdict=best,
        answers=list(dict.fromkeys(answer for part in parts for answer in part.answers)),
        is_partial=best.found != "none" and worst.found == "none",
    )


@dataclass(frozen=True)
class _Asked:
    """A message as it is looked up."""

    memory: UserMemory
    query: Query
    phrase: TimeRange | None
    plan: RecallPlan
    policy: RecallPolicy
    grade: RecallGrade


async def _parts(asked: _Asked, facts: Sequence[Found[Fact]]) -> list[_Part]:
    """Look up each question of a message on its own: one may be known, another not."""
    texts = split_question(asked.query.text)
    if len(texts) == 1:
        return [await _part(asked, facts)]
    parts = []
    for text in texts:
        query = await _query(asked.memory, text, asked.policy, asked.query.now)
        about = await _facts(asked.memory, query, asked.policy.topk)
        parts.append(await _part(replace(asked, query=query), about))
    return parts


async def _part(asked: _Asked, facts: Sequence[Found[Fact]]) -> _Part:
    topic = topic_of(asked.query.text, asked.phrase.phrase if asked.phrase else None)
    past = await _past(asked)
    kinds = (facts, past.episodes, past.turns)
    best = max((each.relevance for kind in kinds for each in kind), default=0.0)
    asks_for_anything = asked.grade == "explicit" and not topic
    reach = past.stage.reach if asks_for_anything else None
    verdict = judge_recall(best, asked.policy, at_the_time=reach)
    return _Part(past, verdict, choose_answers(facts, past, verdict))


async def _past(asked: _Asked) -> Past:
    """Return what was said and done: by topic and time if asked for, else what is recent."""
    if asked.grade != "none":
        return await look_back(asked.memory, asked.query, asked.phrase, asked.plan)
    if not asked.plan.episodes:
        return Past()
    found = await asked.memory.episodes.search(asked.query, asked.plan.episodes)
    matching = [each for each in found if each.relevance >= asked.policy.weak_min]
    if matching:
        return Past(matching)
    latest = await asked.memory.episodes.latest(asked.plan.episodes)
    return Past([Found(episode, 0.0, {"latest": 1.0}) for episode in latest])


async def _query(memory: UserMemory, text: str, policy: RecallPolicy, now: float) -> Query:
    [vector] = await memory.scope.embedder.embed([text])
    return Query(text=text, vector=vector, now=now, weights=policy.weights)


async def _facts(memory: UserMemory, query: Query, limit: int) -> list[Found[Fact]]:
    found = await memory.facts.search(query, limit)
    return [each for each in found if each.record.valid_to is None]


def _names(facts: Sequence[Found[Fact]]) -> set[str]:
    """Return the people and pets of the facts at hand: asking about them is recall."""
    return {found.record.entity.casefold() for found in facts} - {"user"}


def _merged(found: Iterable[Sequence[Found[R]]], limit: int) -> list[Found[R]]:
    """Return the best of each part in turn, none twice."""
    ranked = sorted(
        ((place, each) for part in found for place, each in enumerate(part)),
        key=lambda ranked: ranked[0],
    )
    merged: list[Found[R]] = []
    for _, each in ranked:
        if all(each.record != other.record for other in merged):
            merged.append(each)
    return merged[:limit]
