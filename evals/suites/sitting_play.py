"""Plays a whole sitting through capture, exchange by exchange, under a set clock.

The node's own steps decide and write; only the store is replaced, by one that keeps every vector
it ever computed, because a search over thresholds plays the same sittings many times.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import cast

import numpy as np
import numpy.typing as npt
from langgraph.store.base import PutOp

from evals.suites.sittings import Line, Sitting, ToolUse
from memory_graph import clock
from memory_graph.background import run_sync
from memory_graph.context import Context
from memory_graph.embedding import Embedder
from memory_graph.episodes.capture import judge
from memory_graph.episodes.chaining import related
from memory_graph.episodes.store import EPISODES
from memory_graph.episodes.topics import Seen, Topic, open_topics
from memory_graph.episodes.writing import Captured, write_episode, writer_for
from memory_graph.keys import fact_key
from memory_graph.language.facts import read_facts
from memory_graph.language.points import points
from memory_graph.language.words import language_of
from memory_graph.nodes._reading import HOTPATH
from memory_graph.policies import CapturePolicy, VerbatimPolicy
from memory_graph.reading import read_message
from memory_graph.records import (
    Episode,
    Fact,
    Handling,
    LedgerEntry,
    MemoryDecision,
    Said,
    TurnRecord,
)
from memory_graph.state import RecallNote
from memory_graph.store.scope import UserMemory
from memory_graph.turns.keeping import begun
from memory_graph.turns.messages import Turn
from memory_graph.turns.store import Listed

_LOOK_BACK = 10
_COMPARED_WITH = {
    "turns_since_last": "cooldown_turns",
    "minutes_since_last": "cooldown_minutes",
    "novelty": "novelty_min",
}


@dataclass(frozen=True)
class Played:
    """The episodes of a sitting, each by the numbers of its lines, and what decided on them."""

    policy: CapturePolicy
    episodes: tuple[tuple[int, ...], ...]
    compared: dict[str, set[float]]
    """The numbers that were compared with each threshold."""

    def holds_for(self, policy: CapturePolicy) -> bool:
        """Say whether every comparison ends the same under another policy."""
        bounds = [(getattr(self.policy, n), getattr(policy, n), n) for n in self.compared]
        return all((x < a) == (x < b) for a, b, n in bounds if a != b for x in self.compared[n])


_played: dict[tuple[str, str], list[Played]] = {}


def play(sitting: Sitting, policy: CapturePolicy, embedder: Embedder) -> Played:
    """Play a sitting, unless it was played under a policy that decides alike.

    Policies may differ in their thresholds of time, novelty and theme alone.
    """
    known = _played.setdefault((sitting.id, embedder.name), [])
    same = next((each for each in known if each.holds_for(policy)), None)
    if same is None:
        same = run_sync(lambda: _Play(policy, _Shelf(embedder)).run(sitting))
        known.append(same)
    return same


@dataclass
class _Shelf:
    """Episodes of one sitting, found by meaning as the store finds them."""

    embedder: Embedder
    kept: dict[str, Episode] = field(default_factory=dict)

    async def similar(self, text: str, limit: int) -> list[tuple[Episode, float]]:
        """Return the episodes closest in meaning, each with its calibrated similarity."""
        asked, scale = _vector(self.embedder, text), self.embedder.scale
        found = [
            (each, scale.similarity(float(asked @ _vector(self.embedder, EPISODES.text(each)))))
            for each in self.kept.values()
        ]
        return sorted(found, key=lambda one: -one[1])[:limit]

    async def puts(self, episodes: Sequence[Episode], now: datetime) -> list[PutOp]:
        """Keep episodes at once: one exchange follows the other."""
        self.kept |= {episode.id: episode for episode in episodes}
        return []


@dataclass
class _Inbox:
    """What was decided about each exchange so far."""

    seen: Seen = field(default_factory=lambda: Seen({}, {}))

    def captured(self, turn: Turn, decision: MemoryDecision) -> None:
        """Keep what capture decided about a turn."""
        now = clock.utc_now()
        is_put_off = decision.action == "skip" and decision.reason == "cooldown"
        captured = Handling(
            state="put_off" if is_put_off else "done",
            action=decision.action,
            memory_id=decision.memory_id,
        )
        known = self.seen.records.get(turn.mark)
        at = known.said_at if known else now
        position = int(at.timestamp() * 1000)
        record = begun(turn, Handling(), VerbatimPolicy(), at=at, position=position)
        done = {turn.mark: record.model_copy(update={"captured": captured})}
        self.seen = Seen({**self.seen.records, **done}, self.seen.facts)

    def keep(self, turn: Turn, decision: MemoryDecision) -> None:
        """Keep a fact that a turn states."""
        receipt = turn.receipt_of(HOTPATH)
        entry = LedgerEntry(id=receipt, at=clock.utc_now(), node=HOTPATH, decisions=(decision,))
        self.seen = Seen(self.seen.records, {**self.seen.facts, turn.mark: entry})

    async def having(self, facet: str, values: Sequence[str]) -> list[str]:
        """Return the ids of all turns: a sitting is one thread."""
        return [each.id for each in self.seen.records.values()]

    async def find(self, ids: Sequence[str]) -> dict[str, TurnRecord]:
        """Return the records of turns."""
        return {each.id: each for each in self.seen.records.values() if each.id in ids}

    async def said_in(self, message_ids: Collection[str]) -> list[TurnRecord]:
        """Return the records of messages."""
        records = self.seen.records.values()
        return [each for each in records if {*message_ids} & {*each.source.message_ids}]

    @property
    def recent(self) -> list[Listed]:
        """Return the turns that capture decided about."""
        return [
            Listed(each.position, "", each.captured.action, each.captured.memory_id or "")
            for each in self.seen.records.values()
        ]


@dataclass
class _Facts:
    """Facts of one sitting: none are kept, only which turns state one."""

    async def find(self, ids: Sequence[str]) -> dict[str, Fact]:
        """Return the facts with these ids."""
        return {}


@dataclass
class _Play:
    """One sitting in progress; to the steps it is the memory of its user."""

    policy: CapturePolicy
    episodes: _Shelf
    facts: _Facts = field(default_factory=_Facts)
    inbox: _Inbox = field(default_factory=_Inbox)
    compared: dict[str, set[float]] = field(default_factory=dict)

    @property
    def turns(self) -> _Inbox:
        """What was said so far."""
        return self.inbox

    async def run(self, sitting: Sitting) -> Played:
        """Take every turn."""
        episodes: dict[str, list[int]] = {}
        turns = _turns(sitting)
        for number, line in enumerate(sitting.lines, start=1):
            with clock.frozen(line.moment):
                decisions = await self._take_turn(turns[:number])
            for decision, topic in decisions:
                if decision.memory_id:
                    lines = [int(turn.message_id) for turn in topic.turns]
                    episodes.setdefault(decision.memory_id, []).extend(lines)
        return Played(self.policy, tuple(map(tuple, episodes.values())), self.compared)

    async def _take_turn(self, turns: Sequence[Turn]) -> list[tuple[MemoryDecision, Topic]]:
        """Decide about the open topics as the node does."""
        context = Context(user_id="eval", capture=self.policy)
        memory = cast(UserMemory, self)
        decisions: list[tuple[MemoryDecision, Topic]] = []
        for topic in await self._topics(turns, context):
            exchange = topic.exchange
            verdict = await judge(memory, exchange, self.policy, self.inbox.recent)
            for score, threshold in _COMPARED_WITH.items():
                self._note(threshold, verdict.scores.get(score))
            captured = Captured.skipped(verdict)
            known = await related(memory, exchange.text, exchange.theme, exchange.said_at)
            for each in known:
                self._note("merge_similarity", each.similarity)
            if verdict.keep:
                captured = await write_episode(memory, exchange, verdict, writer_for(None))
            for turn in topic.turns:
                self.inbox.captured(turn, captured.decision)
            decisions.append((captured.decision, topic))
        return decisions

    async def _topics(self, turns: Sequence[Turn], context: Context) -> list[Topic]:
        last = turns[-1]
        if await _states_facts(last.text):
            changed = MemoryDecision(
                kind="fact", action="create", reason="new_fact", after={"key": "told"}
            )
            self.inbox.keep(last, changed)
        looked_back = (await read_message(last.text)).whole.asks >= points()["asks"]
        is_known = looked_back and bool(self.episodes.kept)
        recall = RecallNote(intent="explicit", found="found") if is_known else RecallNote()
        return await open_topics(turns[-_LOOK_BACK:], self.inbox.seen, context, recall)

    def _note(self, threshold: str, number: float | None) -> None:
        if number is not None:
            self.compared.setdefault(threshold, set()).add(number)


@cache
def _turns(sitting: Sitting) -> list[Turn]:
    return [
        Turn(sitting.id, None, str(number), line.user, said_in(line, number))
        for number, line in enumerate(sitting.lines)
    ]


def said_in(line: Line, number: int) -> tuple[Said, ...]:
    """Return the exchange as policies see it; the user's message carries the line's number."""
    used = [said for tool in line.tools for said in _used(tool)]
    asked = Said(role="user", text=line.user, message_id=str(number))
    return (asked, *used, Said(role="assistant", text=line.reply))


def _used(tool: ToolUse) -> tuple[Said, Said]:
    return (
        Said(role="assistant", tool_calls=(tool.name,)),
        Said(role="tool", text=tool.result, tool=tool.name, is_error=tool.failed),
    )


_stating: dict[str, bool] = {}


async def _states_facts(text: str) -> bool:
    """Say whether the hot path would keep a fact of it."""
    if text not in _stating:
        found = read_facts((text,), language_of(text))
        _stating[text] = any(fact_key(each.candidate) for each in found)
    return _stating[text]


@cache
def _vector(embedder: Embedder, text: str) -> npt.NDArray[np.float32]:
    return np.asarray(embedder.embed_sync([text])[0], dtype=np.float32)
