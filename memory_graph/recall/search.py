"""Read what a message asks of memory, and search facts, episodes and turns for it."""

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary
from zoneinfo import ZoneInfo

from memory_graph.context import Context
from memory_graph.embedding import Embedder
from memory_graph.errors import EmbedderUnavailableError
from memory_graph.language import language_for
from memory_graph.language.sentences import (
    name_of_relative,
    put_name,
    relatives_asked,
    split_question,
    topic_of,
    without_names,
)
from memory_graph.language.times import TimeRange
from memory_graph.language.words import language_of, words_of
from memory_graph.policies import RecallPolicy
from memory_graph.reading import read_texts
from memory_graph.recall.answers import (
    KINDS,
    everything_known,
    keys_of,
    more,
    profile_lines,
    tell,
    tell_all,
    tell_best,
    tell_held,
)
from memory_graph.recall.lines import LOOKED_AT, Line, Signs, Sought, gather, read_signs
from memory_graph.recall.rendering import Telling
from memory_graph.records import (
    Episode,
    Fact,
    JudgedBy,
    Reach,
    RecallFound,
    RecallGrade,
    TurnRecord,
)
from memory_graph.store.collection import Found
from memory_graph.store.scope import UserMemory
from memory_graph.store.values import Query, Window

if TYPE_CHECKING:
    from memory_graph.language.heads import Heads

_QUESTIONS = Path(__file__).parents[1] / "language" / "data" / "questions.json"


_ASKS = 0.54
_TELLS, _MAY_ASK = 0.3, 0.3
"""What tells something, and hardly asks or has no form of a question, is none, however much it
looks back: `Next Saturday is my mum's birthday` is no question. `python -m evals run
recall-intent` has F1 .868/.909 with it, .871/.912 with a higher bar and without the form.
"""


_SMALL = 0.5
"""More likely than not."""


_ALIKE = 0.72
"""Similarity (calibrated, 0–1) from which a question is one of those in the file."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A message as memory reads it."""

    text: str
    grade: RecallGrade
    """`explicit`: it asks for what was told or happened; `implicit`: it asks anything else."""

    language: str = "en"
    phrase: TimeRange | None = None
    topic: str = ""
    attribute: str | None = None
    """What it asks of the user's profile: `name`, `city`, ...; `me` for all of it."""

    typical: Sequence[float] | None = field(default=None, repr=False)
    """The meaning of what people tell of that attribute, which their words may not share."""

    is_for_anything: bool = False
    """It names a time and no topic: whatever was said then answers it."""

    is_small_talk: bool = False
    """It greets, thanks or reacts, and neither asks nor tells."""

    @property
    def asks(self) -> bool:
        """Whether it is a question, about the past or not."""
        return self.grade != "none"


async def read_question(query: Query, embedder: Embedder, now: datetime, zone: ZoneInfo) -> Asked:
    """Return what a message asks, by the heads, its time phrase and its likeness to set ones.

    Where the embedder fails, likeness does not count.
    """
    try:
        return await _read_question(query, embedder, now, zone)
    except EmbedderUnavailableError:
        return await _read_question(replace(query, vector=None), embedder, now, zone)


async def _read_question(query: Query, embedder: Embedder, now: datetime, zone: ZoneInfo) -> Asked:
    text = query.text
    language = language_of(text)
    known = await _known(embedder) if query.vector is not None else None
    [heads] = await read_texts([text])
    grade = _grade(heads, query, known)
    if grade == "none":
        is_small = heads.small >= _SMALL > heads.durable
        return Asked(text=text, grade=grade, language=language, is_small_talk=is_small)
    phrase = language_for(text).time_range(text, now=now, zone=zone)
    asked = Asked(
        text=text,
        grade=grade,
        language=language,
        phrase=phrase,
        topic=topic_of(text, phrase.phrase if phrase else None),
    )
    if known is None:
        return replace(asked, is_for_anything=phrase is not None and not asked.topic)
    if phrase is None:
        attribute = known.attribute(query.vector)
        return replace(asked, attribute=attribute, typical=known.typical(attribute, text))
    [about] = await embedder.embed([" ".join(text.replace(phrase.phrase, " ").split())])
    is_for_anything = known.is_for_anything(about)
    if not asked.topic and not is_for_anything and grade == "implicit":
        return replace(asked, grade="none", is_small_talk=True)  # `How are you today?`
    return replace(asked, is_for_anything=not asked.topic or is_for_anything)


def _grade(heads: "Heads", query: Query, known: "_Known | None") -> RecallGrade:
    from memory_graph.language.heads import has_question_form  # noqa: PLC0415 — brings numpy

    is_statement = heads.question < _MAY_ASK or not has_question_form(query.text)
    tells = max(heads.durable, heads.outcome) >= _TELLS and is_statement
    if not tells and heads.asks >= _ASKS:
        return "explicit"
    if known is not None and known.is_for_anything(query.vector):
        return "explicit"
    return "implicit" if heads.question >= _ASKS and not tells else "none"


class _Known:
    """Set questions and their vectors, made once per embedder."""

    def __init__(self, embedder: Embedder) -> None:
        import numpy as np  # noqa: PLC0415 — importing the package must stay light

        stored = json.loads(_QUESTIONS.read_text(encoding="utf-8"))
        profile = [(name, each) for name, texts in stored["profile"].items() for each in texts]
        self._scale = embedder.scale
        self._attributes = [name for name, _ in profile]
        self._profile = np.asarray(embedder.embed_sync([text for _, text in profile]))
        self._anything = np.asarray(embedder.embed_sync(stored["anything"]))
        self._typical: dict[str, Sequence[float]] = {}
        for name, texts in stored["typical"].items():
            middle = np.asarray(embedder.embed_sync(texts)).mean(axis=0)
            self._typical[name] = list(middle / np.linalg.norm(middle))

    def attribute(self, vector: Sequence[float] | None) -> str | None:
        """Return which attribute a question asks for, if it is much like one that does."""
        if vector is None:
            return None
        cosines = self._profile @ vector
        best = int(cosines.argmax())
        is_alike = self._scale.similarity(float(cosines[best])) >= _ALIKE
        return self._attributes[best] or None if is_alike else None

    def typical(self, attribute: str | None, text: str) -> Sequence[float] | None:
        """Return the meaning of what people tell of an attribute of their own, or of their own."""
        is_own = attribute in KINDS or not relatives_asked(text)
        return self._typical.get(attribute or "") if is_own else None

    def is_for_anything(self, vector: Sequence[float] | None) -> bool:
        """Return whether a question without its time asks for whatever was said then."""
        if vector is None:
            return False
        return self._scale.similarity(float((self._anything @ vector).max())) >= _ALIKE


_known_by: "WeakKeyDictionary[Embedder, _Known]" = WeakKeyDictionary()


async def _known(embedder: Embedder) -> _Known:
    if (known := _known_by.get(embedder)) is None:
        known = _known_by[embedder] = await asyncio.to_thread(_Known, embedder)
    return known


_BY_REACH: dict[Reach, RecallFound] = {"asked": "found", "around": "weak", "anytime": "none"}


@dataclass(frozen=True, kw_only=True)
class RecallPlan:
    """How many memories of each kind a turn may use."""

    facts: int
    episodes: int
    turns: int = 0
    recency_weight: float


@dataclass(frozen=True, kw_only=True)
class RecallVerdict:
    """Whether memory holds what was asked for, and what says so."""

    found: RecallFound
    best: float
    threshold: float
    reason: JudgedBy = "relevance"


@dataclass(frozen=True)
class Stage:
    """One stretch of time to look in; without bounds, any time."""

    reach: Reach | None
    start: datetime | None = None
    end: datetime | None = None
    filters: bool = False


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
    more = max(phrase.end - phrase.start, timedelta(days=1))
    around = Stage("around", phrase.start - more, phrase.end + more, filters=True)
    return [asked, around, whole]


def judge_recall(
    best: float, policy: RecallPolicy, *, at_the_time: Reach | None = None
) -> RecallVerdict:
    """Say whether the best hit answers the question, might, or does not.

    It is judged by two decimals, as it is shown: 0.41 is not less than 0.41.

    Args:
        best: The relevance of the best hit.
        policy: The thresholds.
        at_the_time: For a question that names a time and no topic, where something was
            found; words say nothing then.
    """
    best = round(best, 2)
    if at_the_time is not None:
        return RecallVerdict(
            found=_BY_REACH[at_the_time], best=best, threshold=policy.found_min, reason="time"
        )
    found: RecallFound = "weak" if best >= policy.weak_min else "none"
    if best >= policy.found_min:
        found = "found"
    return RecallVerdict(found=found, best=best, threshold=policy.found_min)


_DISTANT = 4e9
"""Seconds since the epoch that nothing was said after."""


_BEST = 2
"""Episodes whose neighbours in their chain are brought along."""


@dataclass(frozen=True)
class Past:
    """What a look back found."""

    episodes: list[Found[Episode]] = field(default_factory=list)
    turns: list[Found[TurnRecord]] = field(default_factory=list)
    stage: Stage = field(default_factory=lambda: Stage(None))
    """Where it was found."""


async def look_back(
    memory: UserMemory,
    query: Query,
    phrase: TimeRange | None,
    plan: RecallPlan,
    *,
    is_for_anything: bool = False,
) -> Past:
    """Search episodes and turns, wider step by step while nothing lies in the time asked about."""
    topic = query.topic or topic_of(query.text, phrase.phrase if phrase else None)
    query = replace(query, topic=topic)
    recency = query.weights.recency * plan.recency_weight
    weights = query.weights.model_copy(update={"recency": recency})
    past = Past()
    for stage in plan_stages(phrase, is_for_anything=is_for_anything):
        asked = replace(query, window=_window(stage))
        episodes, turns = await asyncio.gather(
            memory.episodes.search(replace(asked, weights=weights), plan.episodes),
            search_turns(memory, asked, plan.turns),
        )
        past = Past(episodes, turns, stage)
        if past.episodes or past.turns:
            break
    if past.stage.filters:  # what a story goes on with may be of another time
        return past
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
        now = datetime.fromtimestamp(query.now, UTC)
        said = await memory.query(about, now, asks=query.asks)
        query = replace(query, vector=said.vector)
    weights = query.weights.model_copy(update={"recency": 0.0})
    return await memory.turns.search(replace(query, voices=voices, weights=weights), limit)


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


@dataclass(frozen=True, kw_only=True)
class Recalled:
    """What was found for a message, and how far it answers it."""

    asked: Asked
    reach: Reach | None
    """How far from the time asked about one had to look; empty when nothing was left out."""

    bearing: list[Line]
    """What bears on the message, best first."""

    facts: list[Line]
    """What else is known."""

    episodes: list[Line]
    """What else happened of late."""

    verdict: RecallVerdict
    answers: list[str]
    """What answers the question, best first, as sentences said to the user."""

    telling: Telling
    signs: Signs = field(default_factory=Signs)
    """By what the verdict was reached."""

    is_partial: bool = False
    """Several things were asked, and memory holds nothing about one of them."""

    found: Sequence["AnyFound"] = ()
    """Everything that was looked at, each with the parts of its score."""

    lines: Sequence[Line] = ()
    """What of it could be told, best first."""


AnyFound = Found[Fact] | Found[Episode] | Found[TurnRecord]


@dataclass(frozen=True)
class _Part:
    """What was found for one of the questions in a message."""

    lines: list[Line]
    verdict: RecallVerdict
    reach: Reach | None
    answers: list[str] = field(default_factory=list)
    signs: Signs = field(default_factory=Signs)
    found: Sequence[AnyFound] = ()


_SHOWN = 10
"""Lines that are shown because they bear on a question."""


_PROFILE = 8
"""What is told of somebody who asks what is known of them."""


BEARS = 0.35
"""Relevance from which a line bears on a message that asks nothing."""


async def recall(memory: UserMemory, text: str, context: Context, now: datetime) -> Recalled:
    """Search facts, episodes and what was said, and order what is found by what answers."""
    policy = context.recall
    query = await memory.query(text, now, policy.weights)
    asked = await read_question(query, memory.scope.embedder, now, context.zone)
    plan = plan_recall(asked.grade, policy)
    telling = Telling(asked.language, context.zone, now, words_of(text))
    search = _Search(memory, asked, plan, policy, telling)
    parts = [await search.part(each) for each in split_question(text)]
    worst = min(parts, key=lambda part: part.verdict.best).verdict
    surest = max(parts, key=lambda part: (part.verdict.found == "found", part.verdict.best))
    lines = _alternating([part.lines for part in parts])
    most = min(_SHOWN, policy.topn)
    bearing = [line for line in lines if asked.asks or line.relevance >= BEARS][:most]
    rest = [line for line in lines if line not in bearing]
    facts = _facts(rest)[: min(plan.facts, policy.topn - len(bearing))]
    left = policy.topn - len(bearing) - len(facts)
    return Recalled(
        asked=asked,
        reach=parts[0].reach,
        bearing=bearing,
        facts=facts,
        episodes=(await search.latest(bearing))[:left],
        verdict=surest.verdict,
        answers=list(dict.fromkeys(answer for part in parts for answer in part.answers)),
        telling=telling,
        signs=surest.signs,
        is_partial=surest.verdict.found != "none" and worst.found == "none",
        found=[each for part in parts for each in part.found],
        lines=lines,
    )


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
        sought = Sought.of(text, asked.language) if asked.asks else Sought()
        lines = gather(facts, turns, past.episodes, sought)
        if asked.typical and not any(line.words for line in lines[:LOOKED_AT]):
            alike = replace(query, text="", topic="", vector=asked.typical)
            facts = _joined(facts, await self.memory.facts.search(alike, self.policy.topk))
            turns = _joined(turns, await self.memory.turns.search(alike, self.plan.turns))
            lines = gather(facts, turns, past.episodes, sought)
        found: list[AnyFound] = [*facts, *turns, *past.episodes]
        if asked.attribute:
            lines = profile_lines(asked.attribute, sought, lines)
            if told := tell_held(lines, asked.attribute, self.telling, sought):
                known = judge_recall(1.0, self.policy)
                return _Part(lines, known, past.stage.reach, told, found=found)
        signs = read_signs(sought, lines)
        if asked.attribute == "name" and not relatives_asked(text):
            # No fact holds the user's name: somebody else's is no answer.
            signs = replace(signs, is_beside=True)
        verdict = judge_recall(signs.confidence, self.policy)
        told = tell_best(lines, self.telling, sought) if verdict.found != "none" else []
        return _Part(lines, verdict, past.stage.reach, told, signs, found)

    async def _query(self, text: str) -> Query:
        now, weights = self.telling.now, self.policy.weights
        return await self.memory.query(text, now, weights, asks=self.asked.asks)

    async def _facts(self, query: Query) -> list[Found[Fact]]:
        """Return the facts that bear on a question, and what its attribute is filed under."""
        if self.asked.is_for_anything:
            return []
        facts = await self.memory.facts.search(query, self.policy.topk)
        found = {each.record.id for each in facts}
        keys = [key for key in keys_of(self.asked.attribute or "") if key not in found]
        filed = await self.memory.facts.find(keys) if keys else {}
        return [*facts, *(Found(fact, 0.0, {}) for fact in filed.values())]

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
        known = await everything_known(self.memory)
        verdict = judge_recall(1.0 if known else 0.0, self.policy)
        told = [tell(line, self.telling) for line in known[:_PROFILE]]
        told += more(len(known) - len(told), self.telling)
        answers = [self.telling.frames["profile"], *told] if told else []
        return _Part(known[: self.policy.topk], verdict, None, answers)

    async def latest(self, shown: Sequence[Line]) -> list[Line]:
        """Return the latest episodes that are not shown already."""
        if not self.policy.recent_episodes:
            return []
        known = {line.record.id for line in shown}
        found = await self.memory.episodes.latest(self.policy.recent_episodes)
        return [
            Line(record=each, fit=0.0, relevance=0.0, at=each.ended_at)
            for each in found
            if each.id not in known
        ]


def by_name(text: str, facts: Sequence[Found[Fact]]) -> str:
    """Return a question with the names of the relatives that it names by their relation alone.

    A name outlives what else was said with it, which may be past.
    """
    known = [each.record for each in facts]
    told = [fact.statement for fact in known]
    told += [version.statement for fact in known for version in reversed(fact.history)]
    for kin in relatives_asked(text):
        name = next(filter(None, (name_of_relative(each, kin) for each in told)), None)
        text = put_name(text, kin, name) if name and name not in text else text
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
            relevance=max(known.relevance, each.relevance),
        )
    return list(joined.values())


def _facts(lines: Iterable[Line]) -> list[Line]:
    return [line for line in lines if isinstance(line.record, Fact) and line.over_since is None]


def _alternating(parts: Sequence[Sequence[Line]]) -> list[Line]:
    """Return the best of each part in turn, none twice."""
    ranked = sorted(
        ((place, line) for part in parts for place, line in enumerate(part)),
        key=lambda ranked: ranked[0],
    )
    merged: dict[str, Line] = {}
    for _, line in ranked:
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
