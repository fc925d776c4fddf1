"""How does each way of searching rank a conversation's turns for a question?

All of them search what was stored once, through the package's own write path.
"""

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from zoneinfo import ZoneInfo

import numpy as np
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from benchmarks.locomo import Conversation, Turn
from memory_graph.clock import frozen
from memory_graph.embedding import Embedder
from memory_graph.embedding.encoders import count_tokens
from memory_graph.language.times import find_time_phrase
from memory_graph.language.words import words_of
from memory_graph.nodes.episodic_capture import episodic_capture
from memory_graph.policies import RankingWeights, RecallPolicy
from memory_graph.recall.lines import gather
from memory_graph.recall.questions import Sought
from memory_graph.recall.rendering import View, render_memory
from memory_graph.recall.search import Past, look_back, plan_recall
from memory_graph.records import TurnRecord
from memory_graph.store.index import Context, LexicalIndex
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of

DEPTH = 100
"""How many turns each system returns."""

RRF_K = 60
PACE = timedelta(seconds=30)
"""Between two turns of a session, whose own times LoCoMo does not tell."""

POLICY = RecallPolicy()
"""The defaults: nothing is set for the benchmark, but how many turns are returned."""


class Archive:
    """One conversation, kept as one user's verbatim turns."""

    def __init__(self, conversation: Conversation, embedder: Embedder) -> None:
        self._name = conversation.name
        self._embedder = embedder
        self._turns = {turn.turn_id: turn for turn in conversation.turns}
        self._now = max(turn.said_at for turn in conversation.turns)
        self._store = InMemoryStore(
            index={"dims": embedder.dims, "embed": embedder.embed, "fields": ["text"]}
        )
        self._memory = memory_of(Owner(conversation.name), self._store)
        self._words = LexicalIndex()

    async def fill(self, *, captions: bool) -> None:
        """Say every turn to a graph that remembers, at the time it was said."""
        messages = [_message(turn, captions=captions) for turn in self._turns.values()]
        graph = _listener(self._store)
        for turn, message in zip(self._turns.values(), messages, strict=True):
            run: RunnableConfig = {
                "configurable": {"user_id": self._name, "thread_id": turn.session}
            }
            with frozen(turn.said_at + turn.position * PACE):
                await graph.ainvoke({"messages": [message]}, run)
        texts = (f"{message.name}: {message.content}" for message in messages)
        self._words.put({row: words_of(text) for row, text in enumerate(texts)})

    async def vector(self, text: str) -> list[Turn]:
        """Ask the store's own vector search, with the question as it is."""
        found = await self._store.asearch(self._memory.turns.namespace, query=text, limit=DEPTH)
        return [self._turns[said_in(TurnRecord.model_validate(item.value))] for item in found]

    def bm25(self, text: str) -> list[Turn]:
        """Rank by BM25 over stems, the speaker's name included."""
        scores = self._words.scores(words_of(text), Context.alone(len(self._turns)))
        turns = list(self._turns.values())
        return [turns[row] for row in np.argsort(-scores, kind="stable")[:DEPTH]]

    async def ours(self, text: str) -> tuple[list[Turn], float, int]:
        """Look back as `memory_context` does; also return the seconds and tokens it took."""
        await self._embedder.embed([text])  # kept, and not counted
        started = time.perf_counter()
        past = await self.look_back(text, POLICY.weights, DEPTH)
        seconds = time.perf_counter() - started
        lines = gather(past.turns[: POLICY.recall_turns], Sought(), self._now)
        view = View(ZoneInfo("UTC"), self._now, words_of(text))
        rendered = render_memory(lines, view, budget=POLICY.token_budget, count=count_tokens)
        return self._ranked(past), seconds, count_tokens(rendered.block)

    async def ranked(self, text: str, weights: RankingWeights) -> list[Turn]:
        """Look back with some weights."""
        return self._ranked(await self.look_back(text, weights, DEPTH))

    def _ranked(self, past: Past) -> list[Turn]:
        return [self._turns[said_in(found.record)] for found in past.turns]

    async def look_back(self, text: str, weights: RankingWeights, depth: int) -> Past:
        """Look back with some weights, for so many turns."""
        phrase = find_time_phrase(text, now=self._now, zone=ZoneInfo("UTC"), language="en")
        query = await self._memory.query(text, self._now, weights, asks=True)
        plan = replace(plan_recall("implicit", POLICY), turns=depth)
        return await look_back(self._memory, query, phrase, plan)


def fused(rankings: Iterable[Sequence[Turn]]) -> list[Turn]:
    """Return the reciprocal rank fusion of rankings, in equal parts."""
    turns: dict[str, Turn] = {}
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, turn in enumerate(ranking, start=1):
            turns[turn.turn_id] = turn
            scores[turn.turn_id] = scores.get(turn.turn_id, 0.0) + 1 / (RRF_K + rank)
    return [turns[turn_id] for turn_id in sorted(scores, key=lambda each: -scores[each])]


def _listener(store: BaseStore) -> CompiledStateGraph[MessagesState]:
    """Return a graph that only listens: what is said is remembered, and nobody replies."""
    builder = StateGraph(MessagesState)
    builder.add_node(episodic_capture)
    builder.add_edge(START, "episodic_capture")
    return builder.compile(store=store)


def _message(turn: Turn, *, captions: bool) -> HumanMessage:
    shown = f" [shows {turn.caption}]" if captions and turn.caption else ""
    return HumanMessage(turn.text + shown, name=turn.speaker, id=turn.turn_id)


def said_in(record: TurnRecord) -> str:
    """Return the message that a turn was said in."""
    return record.source.message_ids[0]
