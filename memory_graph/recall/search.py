"""Search facts, episodes and turns for what a message asks, and order what answers it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from typing import TypeVar

from memory_graph.context import Context
from memory_graph.facts.timeline import is_forgotten
from memory_graph.language import sentences
from memory_graph.language.times import TimeRange
from memory_graph.language.words import words_of
from memory_graph.policies import RecallPolicy
from memory_graph.recall.lines import (
    LOOKED_AT,
    AnyFound,
    Line,
    RecallVerdict,
    Signs,
    Sought,
    gather,
    in_order,
    judge_recall,
    least,
    read_signs,
    said_at,
)
from memory_graph.recall.questions import KINDS, Asked, asks_for_all, holds, keys_of, read_question
from memory_graph.recall.rendering import (
    WORTH_TELLING,
    Material,
    Telling,
    more,
    tell,
    tell_all,
    tell_best,
)
from memory_graph.records import Episode, Fact, Reach, RecallGrade, TurnRecord
from memory_graph.store.collection import Found
from memory_graph.store.scope import UserMemory
from memory_graph.store.values import Query, Window

_DISTANT = 4e9  # seconds since the epoch that nothing was said after
_BEST = 2  # episodes whose neighbours in their chain are brought along
_SHOWN = 10  # lines that are shown because they bear on a question
_FIRST = ("name", "age", "birthday", "city", "job", "employer")
_WEIGHTY = 4  # importance from which other facts are told before the rest
_PROFILE = 8  # what is told of somebody who asks what is known of them
BEARS = 0.35  # relevance from which a line bears on a message that asks nothing


@dataclass(frozen=True, kw_only=True)
class RecallPlan:
    """How many memories of each kind a turn may use."""

    facts: int
    episodes: int
    turns: int = 0
    recency_weight: float


def plan_recall(grade: RecallGrade, policy: RecallPolicy) -> RecallPlan:
    """Choose how much to show of each kind; everything is searched on every turn."""
    if grade == "none" or not policy.boost:
        episodes = min(policy.recent_episodes, max(policy.topn - 1, 0))
        turns = min(policy.recent_turns, max(policy.topn - episodes - 1, 0))
        facts = min(policy.topk, policy.topn - episodes - turns)
        return RecallPlan(facts=facts, episodes=episodes, turns=turns, recency_weight=1.0)
    is_explicit = grade == "explicit"
    wanted = policy.recap_facts if is_explicit else policy.topk
    recap = min(wanted, policy.topn // 4)
    episodes = min(policy.recall_episodes, (policy.topn - recap + 1) // 2)
    turns = min(policy.recall_turns, policy.topn - recap - episodes)
    return RecallPlan(
        facts=min(wanted, policy.topn - episodes - turns),
        episodes=episodes,
        turns=turns,
        recency_weight=2.0 if is_explicit else 1.5,
    )


@dataclass(frozen=True)
class Stage:
    """One stretch of time to look in; without bounds, any time."""

    reach: Reach | None
    start: datetime | None = None
    end: datetime | None = None
    filters: bool = False

    @property
    def window(self) -> Window | None:
        """The same as the search reads it."""
        if self.start is None and self.end is None:
            return None
        return Window(
            start=self.start.timestamp() if self.start else 0.0,
            end=self.end.timestamp() if self.end else _DISTANT,
            mode="hard" if self.filters else "soft",
        )


def plan_stages(phrase: TimeRange | None, *, is_for_anything: bool = False) -> list[Stage]:
    """Return where to look, one after the other until something is found.

    Only a question for whatever was said or done then leaves anything out: the day something was
    said is often not the day it happened.
    """
    if phrase is None:
        return [Stage(None)]
    if not is_for_anything:
        return [Stage(None, phrase.start, phrase.end)]
    whole = Stage("anytime", phrase.start, phrase.end)
    asked = Stage("asked", phrase.start, phrase.end, filters=True)
    if phrase.start is None or phrase.end is None:
        return [asked, whole]
    further = max(phrase.end - phrase.start, timedelta(days=1))
    around = Stage("around", phrase.start - further, phrase.end + further, filters=True)
    return [asked, around, whole]


@dataclass(frozen=True)
class Past:
    """What a look back found."""

    episodes: list[Found[Episode]] = field(default_factory=list)
    turns: list[Found[TurnRecord]] = field(default_factory=list)
    stage: Stage = field(default_factory=lambda: Stage(None))  # where it was found


async def look_back(
    memory: UserMemory,
    query: Query,
    phrase: TimeRange | None,
    plan: RecallPlan,
    *,
    is_for_anything: bool = False,
) -> Past:
    """Search episodes and turns, wider step by step while nothing lies in the time asked about.

    What the best episodes continue, and what continues them, takes the place of the last ones.
    """
    topic = query.topic or sentences.topic_of(query.text, phrase.phrase if phrase else None)
    recency = query.weights.recency * plan.recency_weight
    weights = query.weights.model_copy(update={"recency": recency})
    past = Past()
    for stage in plan_stages(phrase, is_for_anything=is_for_anything):
        asked = replace(query, topic=topic, window=stage.window)
        episodes, turns = await asyncio.gather(
            memory.episodes.search(replace(asked, weights=weights), plan.episodes),
            search_turns(memory, asked, plan.turns),
        )
        past = Past(episodes, turns, stage)
        if episodes or turns:
            break
    if past.stage.filters:  # what a story goes on with may be of another time
        return past
    known = {each.record.id for each in past.episodes}
    near = await memory.episodes.linked([each.record for each in past.episodes[:_BEST]])
    linked = [each for each in near if each.id not in known][:_BEST]
    kept = past.episodes[: max(plan.episodes - len(linked), _BEST)]
    chain = [*kept, *(Found(episode, 0.0, {"chain": 1.0}) for episode in linked)]
    return replace(past, episodes=chain[: plan.episodes])


async def search_turns(memory: UserMemory, query: Query, limit: int) -> list[Found[TurnRecord]]:
    """Return the turns that bear on `query`, best first, however old.

    Names of those who speak tell whose words are wanted; they are no topic.
    """
    if not limit:
        return []
    voices = await memory.turns.voices()
    if voices.participants:
        about = sentences.without_names(query.text, voices.participants)
        now = datetime.fromtimestamp(query.now, UTC)
        said = await memory.query(about, now, asks=query.asks)
        query = replace(query, vector=said.vector)
    weights = query.weights.model_copy(update={"recency": 0.0})
    return await memory.turns.search(replace(query, voices=voices, weights=weights), limit)


@dataclass(frozen=True, kw_only=True)
class Recalled(Material):
    """What was found for a message, and how far it answers it."""

    asked: Asked
    verdict: RecallVerdict
    answers: list[str]
    """What answers the question, best first, as sentences said to the user."""

    telling: Telling
    signs: Signs  # by what the verdict was reached
    is_partial: bool
    """Several things were asked, and memory holds nothing about one of them."""

    found: Sequence[AnyFound]
    """Everything that was looked at, each with the parts of its score."""

    lines: Sequence[Line]  # what of it could be told, best first


async def recall(memory: UserMemory, text: str, context: Context, now: datetime) -> Recalled:
    """Search facts, episodes and what was said, and order what is found by what answers."""
    policy = context.policies.recall
    query = await memory.query(text, now, policy.weights)
    asked = await read_question(query, memory.scope.embedder, now, context.zone)
    plan = plan_recall(asked.grade, policy)
    telling = Telling(asked.language, context.zone, now, words_of(text))
    search = _Search(memory, asked, plan, policy, telling)
    parts = [await search.part(each) for each in sentences.split_question(text)]
    worst = min(parts, key=lambda part: part.verdict.best).verdict
    surest = max(parts, key=lambda part: (part.verdict.found == "found", part.verdict.best))
    lines = _alternating([part.lines for part in parts])
    most = min(_SHOWN, policy.topn)
    bearing = [line for line in lines if asked.asks or line.relevance >= BEARS][:most]
    shown = {line.record.id for line in bearing}
    known = [line for line in lines if isinstance(line.record, Fact) and line.over_since is None]
    facts = [line for line in known if line.record.id not in shown]
    facts = facts[: min(plan.facts, policy.topn - len(bearing))]
    recent = policy.recent_episodes
    latest = [
        Line(record=each, fit=0.0, relevance=0.0, at=each.ended_at)
        for each in (await memory.episodes.latest(recent) if recent else ())
        if each.id not in shown
    ]
    return Recalled(
        asked=asked,
        reach=parts[0].reach,
        bearing=bearing,
        facts=facts,
        episodes=latest[: policy.topn - len(bearing) - len(facts)],
        verdict=surest.verdict,
        answers=list(dict.fromkeys(answer for part in parts for answer in part.answers)),
        telling=telling,
        signs=surest.signs,
        is_partial=surest.verdict.found != "none" and worst.found == "none",
        found=[each for part in parts for each in part.found],
        lines=lines,
    )


@dataclass(frozen=True)
class _Part:
    """What was found for one of the questions in a message."""

    lines: list[Line]
    verdict: RecallVerdict
    reach: Reach | None
    answers: list[str] = field(default_factory=list)
    signs: Signs = field(default_factory=Signs)
    found: Sequence[AnyFound] = ()


@dataclass(frozen=True)
class _Search:
    """What is searched for a message, and for whom."""

    memory: UserMemory
    asked: Asked
    plan: RecallPlan
    policy: RecallPolicy
    telling: Telling

    async def part(self, text: str) -> _Part:
        """Look up one question of a message: one may be known, another not."""
        asked = self.asked
        if asked.attribute == "me":
            return await self._profile()
        query = await self._query(text)
        past, facts = await asyncio.gather(
            look_back(
                self.memory, query, asked.phrase, self.plan, is_for_anything=asked.is_for_anything
            ),
            self._facts(query),
        )
        if asked.is_for_anything:
            return self._at_the_time(past)
        turns = past.turns
        if asked.asks and (called := by_name(text, facts)) != text:
            named = await self._query(called)
            facts = _joined(facts, await self.memory.facts.search(named, self.policy.topk))
            turns = _joined(turns, await search_turns(self.memory, named, self.plan.turns))
        sought = Sought()
        if asked.asks:
            sought = Sought.of(text, asked.language, is_of_profile=bool(asked.attribute))
        lines = gather(facts, turns, past.episodes, sought)
        if asked.typical and not any(line.words for line in lines[:LOOKED_AT]):
            alike = replace(query, text="", topic="", vector=asked.typical)
            facts = _joined(facts, await self.memory.facts.search(alike, self.policy.topk))
            turns = _joined(turns, await self.memory.turns.search(alike, self.plan.turns))
            lines = gather(facts, turns, past.episodes, sought)
        part = self._judged(sought, lines)
        return replace(part, reach=past.stage.reach, found=[*facts, *turns, *past.episodes])

    def _judged(self, sought: Sought, lines: list[Line]) -> _Part:
        """Say how far lines answer a question, by a fact that holds what is asked or by signs."""
        attribute = self.asked.attribute
        if attribute:
            held = [line for line in lines if holds(line, attribute, sought)]
            held = in_order(held, is_former=sought.is_former)
            lines = [*held, *(line for line in lines if line not in held)]
            if held:
                told = tell_best(held, self.telling, sought, most=1)
                if attribute in KINDS and asks_for_all(sought.text):
                    told = [tell(line, self.telling) for line in held]
                return _Part(lines, judge_recall(1.0, self.policy), None, told)
        signs = read_signs(sought, lines)
        if attribute == "name" and not sought.kin:
            # No fact holds the user's name: somebody else's is no answer.
            signs = replace(signs, is_beside=True)
        verdict = judge_recall(signs.confidence, self.policy)
        told = tell_best(lines, self.telling, sought) if verdict.found != "none" else []
        return _Part(lines, verdict, None, told, signs)

    async def _query(self, text: str) -> Query:
        now, weights = self.telling.now, self.policy.weights
        query = await self.memory.query(text, now, weights, asks=self.asked.asks)
        return replace(query, others=self.asked.others)

    async def _facts(self, query: Query) -> list[Found[Fact]]:
        """Return the facts that bear on a question, and what its attribute is filed under."""
        if self.asked.is_for_anything:
            return []
        facts = await self.memory.facts.search(query, self.policy.topk)
        found = {each.record.id for each in facts}
        keys = [key for key in keys_of(self.asked.attribute or "") if key not in found]
        filed = await self.memory.facts.find(keys) if keys else {}
        return [*facts, *(Found(f, 0.0, {}) for f in filed.values() if not is_forgotten(f))]

    def _at_the_time(self, past: Past) -> _Part:
        """Return whatever was said or done at the time asked about: only the time judges it."""
        lines = gather([], past.turns, past.episodes)
        reach = past.stage.reach if lines else "anytime"
        verdict = judge_recall(0.0, self.policy, at_the_time=reach)
        found: list[AnyFound] = [*past.turns, *past.episodes]
        told = tell_all(lines, self.telling)
        return _Part(lines, verdict, past.stage.reach, told, found=found)

    async def _profile(self) -> _Part:
        """Return who the user is."""
        known = await _everything_known(self.memory)
        verdict = judge_recall(1.0 if known else 0.0, self.policy)
        told = [tell(line, self.telling) for line in known[:_PROFILE]]
        told += more(len(known) - len(told), self.telling)
        told = [self.telling.frames["profile"], *told] if told else []
        return _Part(known[: self.policy.topk], verdict, None, told)


async def _everything_known(memory: UserMemory) -> list[Line]:
    """Return who the user is: the facts that matter most, then what else they told."""
    facts = sorted(await memory.facts.current(), key=_introduces)
    told = {message_id for fact in facts for message_id in fact.source.message_ids}
    turns = sorted(await memory.turns.all(), key=lambda turn: (-turn.notable, turn.said_at))
    rest = [
        turn
        for turn in turns
        if turn.role == "user"
        and not turn.echoes
        and turn.notable >= WORTH_TELLING
        and told.isdisjoint(turn.source.message_ids)
    ]
    known: list[Fact | TurnRecord] = [*facts, *rest]
    return [Line(record=each, fit=1.0, relevance=1.0, at=said_at(each)) for each in known]


def _introduces(fact: Fact) -> int:
    """Return how late somebody is told of, when a user is: who they are first."""
    attribute = (fact.attribute or "").partition(":")[0]
    if fact.entity != "user" or not attribute:
        return len(_FIRST) + (fact.importance < _WEIGHTY)
    return _FIRST.index(attribute) if attribute in _FIRST else len(_FIRST)


def by_name(text: str, facts: Sequence[Found[Fact]]) -> str:
    """Return a question with the names of the relatives that it names by their relation alone.

    A name outlives what else was said with it, which may be past.
    """
    known = [each.record for each in facts]
    told = [fact.statement for fact in known]
    told += [version.statement for fact in known for version in reversed(fact.history)]
    for kin in sentences.relatives_asked(text):
        name = next(filter(None, (sentences.name_of_relative(each, kin) for each in told)), None)
        text = sentences.put_name(text, kin, name) if name and name not in text else text
    return text


R = TypeVar("R", Fact, TurnRecord)


def _joined(found: Sequence[Found[R]], alike: Sequence[Found[R]]) -> list[Found[R]]:
    """Return what was found in two ways, each as near in meaning as the nearer says."""
    joined = {each.record.id: each for each in found}
    for each in alike:
        known = joined.get(each.record.id, each)
        joined[each.record.id] = replace(
            known,
            words=max(known.words, each.words),
            meaning=max(known.meaning, each.meaning),
            outdone=least(known.outdone, each.outdone),
            relevance=max(known.relevance, each.relevance),
        )
    return list(joined.values())


def _alternating(parts: Sequence[Sequence[Line]]) -> list[Line]:
    """Return the best of each part in turn, none twice."""
    rows = zip_longest(*parts)
    merged: dict[str, Line] = {}
    for line in (line for row in rows for line in row if line is not None):
        merged.setdefault(line.record.id, line)
    return list(merged.values())


async def search_everything(
    memory: UserMemory, text: str, limit: int, now: datetime
) -> list[Found[Fact] | Found[Episode]]:
    """Return up to `limit` facts and as many episodes, the best first."""
    query = await memory.query(text, now)
    facts = await memory.facts.search(query, limit)
    episodes = await memory.episodes.search(query, limit)
    return sorted([*facts, *episodes], key=lambda each: -each.score)
