"""What does capture make of a whole sitting, exchange by exchange, under a set clock?

The node's own steps decide and write; only the store is replaced, by one that keeps every vector
it ever computed, because a search over thresholds plays the same sittings many times.
"""

from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from typing import cast

import numpy as np
import numpy.typing as npt
from langgraph.store.base import PutOp

from evals.sittings import FIRST_DAY, Line, Sitting, ToolUse
from memory_graph import clock
from memory_graph.context import Context
from memory_graph.embeddings import Embedder
from memory_graph.nodes.pending import HOTPATH, exchange_of
from memory_graph.nodes.turn import Turn
from memory_graph.policy.capture import CapturePolicy
from memory_graph.policy.exchange import Said
from memory_graph.policy.recall_intent import detect_recall_intent
from memory_graph.records import Episode, LedgerEntry, MemoryDecision
from memory_graph.steps.arcs import related
from memory_graph.steps.capture import NODE, judge
from memory_graph.steps.episode_writing import Captured, write_episode
from memory_graph.steps.exchange import Exchange
from memory_graph.steps.hear import Listener
from memory_graph.steps.teller import teller_for
from memory_graph.storage.episodes import EPISODES
from memory_graph.storage.scope import UserMemory

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
        same = _at_once(_Play(policy, _Shelf(embedder)).run(sitting))
        known.append(same)
    return same


def _at_once(steps: Coroutine[None, None, Played]) -> Played:
    """Run steps that wait for nothing: the stand-ins answer immediately."""
    try:
        steps.send(None)
    except StopIteration as done:
        return cast(Played, done.value)
    raise RuntimeError("A step of capture waits for something outside.")


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
class _Receipts:
    """What was decided about each exchange so far."""

    entries: dict[str, LedgerEntry] = field(default_factory=dict)

    def keep(self, receipt: str, node: str, decision: MemoryDecision) -> None:
        """Keep a decision as the receipt of a turn."""
        at = clock.utc_now()
        self.entries[receipt] = LedgerEntry(id=receipt, at=at, node=node, decisions=(decision,))

    async def since(self, moment: datetime, *, node: str) -> list[LedgerEntry]:
        """Return the later entries of a node."""
        return [e for e in self.entries.values() if e.at >= moment and e.node == node]


@dataclass
class _Play:
    """One sitting in progress; to the steps it is the memory of its user."""

    policy: CapturePolicy
    episodes: _Shelf
    ledger: _Receipts = field(default_factory=_Receipts)
    compared: dict[str, set[float]] = field(default_factory=dict)

    async def run(self, sitting: Sitting) -> Played:
        """Take every turn."""
        told: dict[str, list[int]] = {}
        turns = _turns(sitting)
        for number, line in enumerate(sitting.lines, start=1):
            with clock.frozen(line.moment):
                decision, lines = await self._take_turn(turns[:number])
                self.ledger.keep(turns[number - 1].receipt_of(NODE), NODE, decision)
            if decision.memory_id:
                told.setdefault(decision.memory_id, []).extend(lines)
        return Played(self.policy, tuple(map(tuple, told.values())), self.compared)

    async def _take_turn(self, turns: Sequence[Turn]) -> tuple[MemoryDecision, list[int]]:
        """Decide about the last turn as the node does; also say which lines it was about."""
        context = Context(user_id="eval", capture=self.policy)
        exchange = await self._exchange(turns, context)
        memory = cast(UserMemory, self)
        verdict = await judge(memory, exchange, self.policy)
        for score, threshold in _COMPARED_WITH.items():
            self._note(threshold, verdict.scores.get(score))
        if not verdict.keep:
            return Captured.skipped(verdict).decision, []
        for neighbour, _ in await related(memory, exchange.text, exchange.theme):
            self._note("merge_similarity", neighbour.similarity)
        written = await write_episode(memory, exchange, verdict, context, teller_for(None))
        return written.decision, [int(s.message_id) for s in exchange.said if s.message_id]

    async def _exchange(self, turns: Sequence[Turn], context: Context) -> Exchange:
        last = turns[-1]
        if await _states_facts(last.text):
            changed = MemoryDecision(kind="fact", action="create", reason="new_fact")
            self.ledger.keep(last.receipt_of(HOTPATH), HOTPATH, changed)
        exchange = exchange_of(turns[-_LOOK_BACK:], turns[-1:], self.ledger.entries, context)
        looked_back = detect_recall_intent(last.text).grade != "none"
        return replace(exchange, told_from_memory=looked_back and bool(self.episodes.kept))

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
        heard = await Listener(None, 1.0).hear((text,), FIRST_DAY)
        _stating[text] = any(each.kind != "episodic" for each in heard.candidates)
    return _stating[text]


@cache
def _vector(embedder: Embedder, text: str) -> npt.NDArray[np.float32]:
    return np.asarray(embedder.embed_sync([text])[0], dtype=np.float32)
