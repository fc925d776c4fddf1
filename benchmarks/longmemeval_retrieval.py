"""Each way of searching is measured by the sessions and turns of LongMemEval it finds.

Run `python -m benchmarks.longmemeval_retrieval --data FILE`. any@1: the first session to turn up
holds evidence; all@k: all evidence sessions are among the first k. any@5 is saturated.
"""

import argparse
import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from statistics import fmean
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from benchmarks.longmemeval import Question, Turn, load
from memory_graph.embedding import Embedder, load_embedder
from memory_graph.language.times import find_time_phrase
from memory_graph.language.words import words_of
from memory_graph.policies import RecallPolicy
from memory_graph.recall.search import look_back, plan_recall
from memory_graph.records import Handling, Said, TurnRecord
from memory_graph.settings import get_settings
from memory_graph.store.index import Context, LexicalIndex
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of
from memory_graph.turns.keeping import begun, keep_turns
from memory_graph.turns.messages import Turn as Told

DEPTH = 50
_BATCH = 200
PACE = timedelta(seconds=30)
"""Between two turns of a session."""

POLICY = RecallPolicy()
UTC = ZoneInfo("UTC")


class Asked(NamedTuple):
    """One question with the turns each system found, best first."""

    question: Question
    found: dict[str, list[Turn]]
    seconds: float


async def fill(question: Question, store: BaseStore) -> UserMemory:
    """Keep everything that was said before a question, as the capture node keeps it."""
    memory = memory_of(Owner(question.name), store)
    puts = []
    policy = get_settings().verbatim
    for said, turns in _exchanges(question.turns):
        at = turns[0].said_at + turns[0].position * PACE
        told = Told(turns[0].session, None, turns[0].turn_id, said[0].text, tuple(said))
        position = int(at.timestamp() * 1000)
        record = begun(told, Handling(), policy, at=at, position=position)
        puts += await keep_turns(memory, [(record, said)], policy, at, UTC)
    for start in range(0, len(puts), _BATCH):
        await memory.commit(puts[start : start + _BATCH])
    return memory


def _exchanges(turns: Sequence[Turn]) -> list[tuple[list[Said], list[Turn]]]:
    """Return each message of the user with the reply to it."""
    exchanges: list[tuple[list[Said], list[Turn]]] = []
    for turn in turns:
        said = Said(role=turn.role, text=turn.text, message_id=turn.turn_id)
        last = exchanges[-1][1][-1] if exchanges else None
        follows = last is not None and last.session == turn.session and turn.role == "assistant"
        if follows and last is not None and last.role == "user":
            exchanges[-1][0].append(said)
            exchanges[-1][1].append(turn)
        else:
            exchanges.append(([said], [turn]))
    return exchanges


async def ask(question: Question, embedder: Embedder) -> Asked:
    """Ask every system."""
    memory = await fill(question, InMemoryStore())
    query = await memory.query(question.text, question.asked_at, POLICY.weights, asks=True)
    phrase = find_time_phrase(question.text, now=question.asked_at, zone=UTC, language="en")
    plan = replace(plan_recall("implicit", POLICY), turns=DEPTH)
    await look_back(memory, query, phrase, plan)  # reads the index
    started = time.perf_counter()
    past = await look_back(memory, query, phrase, plan)
    seconds = time.perf_counter() - started
    ours = [turn_of(question, found.record) for found in past.turns]
    return Asked(question, {**await _plain(question, embedder), "ours": ours}, seconds)


def turn_of(question: Question, record: TurnRecord) -> Turn:
    """Return the turn a record keeps; a reply is kept under the message it answers."""
    by_id, first = question.by_id, record.source.message_ids[0]
    if by_id[first].role == record.role:
        return by_id[first]
    session, _, position = first.rpartition(":")
    return by_id[f"{session}:{int(position) + 1}"]


async def _plain(question: Question, embedder: Embedder) -> dict[str, list[Turn]]:
    texts = [turn.text[: get_settings().verbatim.max_characters] for turn in question.turns]
    vectors = np.asarray(await embedder.embed(texts))
    [asked] = await embedder.embed([question.text])
    cosines = vectors @ np.asarray(asked)
    words = LexicalIndex()
    words.put({row: words_of(text) for row, text in enumerate(texts)})
    scores = words.scores(words_of(question.text), Context.alone(len(texts)))
    return {"plain vector": _best(question, cosines), "BM25": _best(question, scores)}


def _best(question: Question, scores: "np.typing.NDArray[np.float32]") -> list[Turn]:
    return [question.turns[row] for row in np.argsort(-scores, kind="stable")[:DEPTH]]


def sessions(found: Sequence[Turn], cut: int) -> set[str]:
    """Return the first sessions to turn up."""
    return set(list(dict.fromkeys(turn.session for turn in found))[:cut])


def measures(asked: Asked, system: str) -> dict[str, float]:
    """Return what one system reached for one question."""
    found, wanted = asked.found[system], asked.question.evidence_sessions
    evidence = {turn.turn_id for turn in asked.question.turns if turn.is_evidence}
    top = {turn.turn_id for turn in found[:10]}
    return {
        "any@1": float(bool(wanted & sessions(found, 1))),
        "all@5": float(wanted <= sessions(found, 5)),
        "all@10": float(wanted <= sessions(found, 10)),
        "turns@10": len(evidence & top) / len(evidence) if evidence else float("nan"),
    }


def report(answers: Sequence[Asked]) -> None:
    """Print every measure of every system."""
    print(f"{'%':14}" + "".join(f"{name:>10}" for name in measures(answers[0], "ours")))
    for system in answers[0].found:
        each = [measures(asked, system) for asked in answers]
        means = [fmean(m[name] for m in each if m[name] == m[name]) for name in each[0]]
        print(f"{system:14}" + "".join(f"{100 * mean:10.1f}" for mean in means))
    print(f"our search, ms per query: {1000 * fmean(a.seconds for a in answers):.1f}")


async def run(data: Path, limit: int | None) -> None:
    """Store, ask and report."""
    embedder = load_embedder(get_settings().embedder)
    questions = [question for question in load(data) if question.is_answerable][:limit]
    answers = [await ask(question, embedder) for question in questions]
    print(f"{len(answers)} answerable questions; embedder {embedder.name}")
    report(answers)


def main() -> None:
    """Read the arguments, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--limit", type=int)
    options = parser.parse_args()
    asyncio.run(run(options.data, options.limit))


if __name__ == "__main__":
    main()
