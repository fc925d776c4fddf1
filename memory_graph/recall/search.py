"""Search facts, episodes and what was said for a message, and choose what bears on it."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from typing import Literal, TypeVar

from memory_graph.context import Context
from memory_graph.facts.timeline import is_forgotten
from memory_graph.language import questions as asking
from memory_graph.language import relatives
from memory_graph.language.times import TimeRange
from memory_graph.language.voices import without_names
from memory_graph.policies import RecallPolicy
from memory_graph.recall.lines import (
    AnyFound,
    Line,
    Remembered,
    chosen,
    gather,
    holds,
    in_order,
    least,
    said_at,
)
from memory_graph.recall.questions import KINDS, Asked, Sought, asks_for_all, keys_of, read_question
from memory_graph.recall.verdict import (
    LOOKED_AT,
    RecallVerdict,
    Signs,
    judge_recall,
    names_whom_is_asked,
    read_signs,
)
from memory_graph.records import Episode, Fact, Reach, RecallGrade, TurnRecord
from memory_graph.store.collection import Found
from memory_graph.store.scope import UserMemory
from memory_graph.store.values import Query, Window

_DISTANT = 4e9  # seconds since the epoch that nothing was said after
_FIRST = ("name", "age", "birthday", "city", "job", "employer")
_WEIGHTY = 4  # importance from which other facts come before the rest
_SAYS_IT = 0.5
"""Share of a question's words by which a line is what it asks for, though of another time: `what
did we agree for Christmas?`."""

WORTH_TELLING = 0.5
"""How notable a turn must be to tell something of the user: more likely than not."""


@dataclass(frozen=True, kw_only=True)
class RecallPlan:
    """How many memories of each kind a turn looks at."""

    facts: int
    episodes: int
    turns: int = 0
    recency_weight: float


def plan_recall(grade: RecallGrade, policy: RecallPolicy) -> RecallPlan:
    """Choose how many of each kind to look at; where the past is asked for, the recent counts."""
    explicit = policy.boost and grade == "explicit"
    return RecallPlan(
        facts=policy.topk,
        episodes=policy.recall_episodes,
        turns=policy.recall_turns,
        recency_weight=2.0 if explicit else 1.5 if policy.boost and grade != "none" else 1.0,
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
    facts: list[Found[Fact]] = field(default_factory=list)  # learnt at the time asked about


async def look_back(
    memory: UserMemory,
    query: Query,
    phrase: TimeRange | None,
    plan: RecallPlan,
    *,
    is_for_anything: bool = False,
) -> Past:
    """Search episodes and turns, wider step by step while nothing lies in the time asked about."""
    topic = query.topic or asking.topic_of(query.text, phrase.phrase if phrase else None)
    recency = query.weights.recency * plan.recency_weight
    weights = query.weights.model_copy(update={"recency": recency})
    past = Past()
    for stage in plan_stages(phrase, is_for_anything=is_for_anything):
        asked = replace(query, topic=topic, window=stage.window)
        episodes, turns = await asyncio.gather(
            memory.episodes.search(replace(asked, weights=weights), plan.episodes),
            search_turns(memory, asked, plan.turns),
        )
        facts = await memory.facts.search(asked, plan.facts) if is_for_anything else []
        past = Past(episodes, turns, stage, facts)
        if episodes or turns or facts:
            break
    return past


async def search_turns(memory: UserMemory, query: Query, limit: int) -> list[Found[TurnRecord]]:
    """Return the turns that bear on `query`, best first, however old.

    Names of those who speak tell whose words are wanted; they are no topic.
    """
    if not limit:
        return []
    voices = await memory.turns.voices()
    if voices.participants:
        about = without_names(query.text, voices.participants)
        now = datetime.fromtimestamp(query.now, UTC)
        said = await memory.query(about, now, asks=query.asks)
        query = replace(query, vector=said.vector)
    weights = query.weights.model_copy(update={"recency": 0.0})
    return await memory.turns.search(replace(query, voices=voices, weights=weights), limit)


PartKind = Literal["profile", "rules", "time", "attribute", "all", "search"]


@dataclass(frozen=True)
class Part:
    """What was found for one of the questions in a message."""

    sought: Sought
    lines: Sequence[Line]
    verdict: RecallVerdict
    held: Sequence[Line] = ()
    """Facts that hold the very attribute that is asked for."""

    is_of_rules: bool = False
    """The user's instructions are asked for, and there are some."""

    reach: Reach | None = None
    signs: Signs = field(default_factory=Signs)
    found: Sequence[AnyFound] = ()

    def kind(self, asked: Asked) -> PartKind:
        """Return what kind of question it is, by what answers it."""
        if asked.attribute == "me":
            return "profile"
        if self.is_of_rules:
            return "rules"
        if self.reach is not None:
            return "time"
        if not self.held:
            return "search"
        return "all" if asked.attribute in KINDS and asks_for_all(self.sought.text) else "attribute"


@dataclass(frozen=True, kw_only=True)
class Recalled:
    """What was found for a message, and how far it answers it."""

    asked: Asked
    now: datetime
    parts: Sequence[Part]
    bearing: Sequence[Line]
    """What bears on the message, best first: what is shown."""

    lines: Sequence[Line]
    """Everything that could be shown, best first."""

    found: Sequence[AnyFound]
    """Everything that was looked at, each with the parts of its score."""

    @property
    def best(self) -> Part:
        """The part that is answered best."""
        return max(self.parts, key=lambda part: (part.verdict.found == "found", part.verdict.best))

    @property
    def verdict(self) -> RecallVerdict:
        """How far memory answers the message, or what it answers best of it."""
        return self.best.verdict

    @property
    def signs(self) -> Signs:
        """By what the verdict was reached."""
        return self.best.signs

    @property
    def reach(self) -> Reach | None:
        """How far from the time asked about one had to look."""
        return self.parts[0].reach


async def recall(
    memory: UserMemory, text: str, context: Context, now: datetime, *, message_id: str = ""
) -> Recalled:
    """Search facts, episodes and what was said, and choose what bears on the message.

    What came of the message itself, as far as its id is known, is no memory of something else.
    """
    policy = context.policies.recall
    query = await memory.query(text, now, policy.weights)
    asked = await read_question(query, memory.scope.embedder, now, context.zone)
    search = _Search(memory, asked, plan_recall(asked.grade, policy), policy, now, message_id)
    parts = [await search.part(each) for each in asking.split_question(text)]
    lines = _alternating([part.lines for part in parts])
    most = policy.lines_listed if _lists(asked, text) else policy.lines
    bearing = _alternating([_bearing(part, asked, policy, most) for part in parts])
    return Recalled(
        asked=asked,
        now=now,
        parts=parts,
        bearing=bearing[: min(most, policy.topn)],
        lines=lines,
        found=[each for part in parts for each in part.found],
    )


def _lists(asked: Asked, text: str) -> bool:
    """Say whether more than a single thing is asked for: a time, a list, all of a kind."""
    is_all = asked.attribute == "me" or (asked.attribute in KINDS and asks_for_all(text))
    return asked.asks and (asked.phrase is not None or is_all or asking.asks_for_list(text))


_FLOORS: Mapping[RecallGrade, Callable[[RecallPolicy], float]] = {
    "none": lambda policy: policy.bears,
    "implicit": lambda policy: policy.bears_asked,
    "explicit": lambda policy: policy.bears_told,
}


def _bearing(part: Part, asked: Asked, policy: RecallPolicy, most: int) -> list[Line]:
    if part.reach in {"asked", "around"} or asked.attribute == "me":
        return list(part.lines[:most])
    held = list(part.held)
    rest = [line for line in part.lines if line not in held]
    floor = _FLOORS[asked.grade](policy)
    of_the_time = [line for line in rest if line.is_in_time]
    kept = chosen(of_the_time, most=most, floor=0.0, share=policy.bears_share)
    floor = 0.0 if held or kept else floor
    others = [line for line in rest if not line.is_in_time]
    kept += chosen(others, most=most, floor=floor, share=policy.bears_share)
    return [*held, *kept][:most]


@dataclass(frozen=True)
class _Search:
    """What is searched for a message, and for whom."""

    memory: UserMemory
    asked: Asked
    plan: RecallPlan
    policy: RecallPolicy
    now: datetime
    message_id: str

    async def part(self, text: str) -> Part:
        """Look up one question of a message: one may be known, another not."""
        asked = self.asked
        sought = Sought.of(text, asked)
        if asked.attribute == "me":
            return await self._profile(sought)
        if asked.attribute == "rules" and await self.memory.instructions.in_force(self.now.date()):
            return Part(sought, (), judge_recall(1.0, self.policy), is_of_rules=True)
        query = await self._query(text)
        past = await look_back(
            self.memory, query, asked.phrase, self.plan, is_for_anything=asked.is_for_anything
        )
        if asked.is_for_anything:
            at_the_time = await self._at_the_time(past, sought)
            if past.stage.reach != "anytime":
                return at_the_time
            part = await self._by_likeness(sought, query, past)
            says_it = part.verdict.found != "none" and part.lines[0].words >= _SAYS_IT
            return replace(part, reach=None) if says_it else at_the_time
        return await self._by_likeness(sought, query, past)

    async def _by_likeness(self, sought: Sought, query: Query, past: Past) -> Part:
        """Look for what is most like the question."""
        asked, text, facts = self.asked, sought.text, await self._facts(query)
        turns = past.turns
        if asked.asks and (called := by_name(text, facts)) != text:
            named = await self._query(called)
            facts = _joined(facts, await self.memory.facts.search(named, self.policy.topk))
            turns = _joined(turns, await search_turns(self.memory, named, self.plan.turns))
        lines = await self._gathered([*facts, *turns, *past.episodes], sought)
        if asked.typical and not any(line.words for line in lines[:LOOKED_AT]):
            alike = replace(query, text="", topic="", vector=asked.typical)
            facts = _joined(facts, await self.memory.facts.search(alike, self.policy.topk))
            turns = _joined(turns, await self.memory.turns.search(alike, self.plan.turns))
            lines = await self._gathered([*facts, *turns, *past.episodes], sought)
        part = self._judged(sought, lines)
        return replace(part, reach=past.stage.reach, found=[*facts, *turns, *past.episodes])

    async def _gathered(self, found: Sequence[AnyFound], sought: Sought) -> list[Line]:
        """Return what was found as lines, with what it leads to."""
        found = [each for each in found if not self._is_itself(each.record)]
        known = {each.record.id for each in found}
        turns = [each.record for each in found if isinstance(each.record, TurnRecord)]
        messages = {message for turn in turns for message in turn.source.message_ids}
        newer = {turn.outdated_by for turn in turns} - known
        told, outdating = await asyncio.gather(
            self.memory.facts.told_in(messages), self.memory.turns.find(newer)
        )
        beside: list[Remembered] = [each for each in told if each.id not in known]
        beside += outdating.values()
        return gather(found, sought, self.now, beside)

    def _is_itself(self, record: Remembered) -> bool:
        """Say whether a memory holds the message alone; a question may ask for its own facts."""
        is_of_it = set(record.source.message_ids) == {self.message_id}
        return is_of_it and (isinstance(record, TurnRecord) or not self.asked.asks)

    def _judged(self, sought: Sought, lines: list[Line]) -> Part:
        """Say how far lines answer a question, by a fact that holds what is asked or by signs."""
        attribute = self.asked.attribute
        if attribute:
            held = in_order((line for line in lines if holds(line, sought)), sought)
            lines = [*held, *(line for line in lines if line not in held)]
            if held:
                return Part(sought, lines, judge_recall(1.0, self.policy), held)
        signs = read_signs(sought, lines)
        if lines and (self._is_of_time(lines[0]) or names_whom_is_asked(lines[0], sought)):
            signs = replace(signs, least=self.policy.weak_min)
        if attribute == "name" and not sought.kin:
            # No fact holds the user's name: somebody else's is no answer.
            signs = replace(signs, is_beside=True)
        return Part(sought, lines, judge_recall(signs.confidence, self.policy), signs=signs)

    def _is_of_time(self, line: Line) -> bool:
        """Say whether a line is of the time asked about and bears on the topic."""
        return line.is_in_time and line.relevance >= _FLOORS[self.asked.grade](self.policy)

    async def _query(self, text: str) -> Query:
        query = await self.memory.query(text, self.now, self.policy.weights, asks=self.asked.asks)
        return replace(query, others=self.asked.others)

    async def _facts(self, query: Query) -> list[Found[Fact]]:
        """Return the facts that bear on a question, and what its attribute is filed under."""
        facts = await self.memory.facts.search(query, self.policy.topk)
        found = {each.record.id for each in facts}
        keys = [key for key in keys_of(self.asked.attribute or "") if key not in found]
        filed = await self.memory.facts.find(keys) if keys else {}
        return [*facts, *(Found(f, 0.0, {}) for f in filed.values() if not is_forgotten(f))]

    async def _at_the_time(self, past: Past, sought: Sought) -> Part:
        """Return whatever was said, learnt or done at the time asked about."""
        found: list[AnyFound] = [*past.facts, *past.turns, *past.episodes]
        lines = await self._gathered(found, sought)
        reach = past.stage.reach if lines else "anytime"
        if reach == "asked":
            lines = sorted((line for line in lines if line.is_in_time), key=tells_most)
        verdict = judge_recall(0.0, self.policy, at_the_time=reach)
        return Part(sought, lines, verdict, reach=past.stage.reach, found=found)

    async def _profile(self, sought: Sought) -> Part:
        """Return who the user is."""
        known = await _everything_known(self.memory)
        verdict = judge_recall(1.0 if known else 0.0, self.policy)
        return Part(sought, known[: self.policy.topk], verdict, held=known)


def tells_most(line: Line) -> float:
    """Return how little a line says of a time, for sorting: a decision before a remark."""
    turn = line.record
    if not isinstance(turn, TurnRecord):
        return -0.7
    return -turn.notable if turn.role == "user" else 0.0


async def _everything_known(memory: UserMemory) -> list[Line]:
    """Return who the user is: the facts that matter most, then what else they told."""
    facts = sorted(await memory.facts.current(), key=_introduces)
    told = {message_id for fact in facts for message_id in fact.source.message_ids}
    turns = sorted(await memory.turns.told(), key=lambda turn: (-turn.notable, turn.said_at))
    rest = [
        turn
        for turn in turns
        if turn.role == "user"
        and not (turn.echoes or turn.withdrawn or turn.outdated_at)
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
    for kin in relatives.relatives_asked(text):
        name = next(filter(None, (relatives.name_of_relative(each, kin) for each in told)), None)
        text = relatives.put_name(text, kin, name) if name and name not in text else text
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
