"""How much of the evidence does each way of searching find among a conversation's turns?

Run `python -m benchmarks.locomo_retrieval --data FILE`. Recall@k is the mean over questions of
the share of evidence turns (or of the sessions they are in) among the first k.
"""

import argparse
import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from statistics import fmean, quantiles
from typing import NamedTuple

from benchmarks.locomo import CATEGORIES, Conversation, Question, Turn, load
from benchmarks.locomo_systems import Archive, fused
from memory_graph.embedding import Embedder, load_embedder
from memory_graph.settings import get_settings

TUNED_ON = frozenset({"conv-26", "conv-30", "conv-41"})
"""Weights were chosen on these conversations; every other one is held out."""

CUTS = (5, 10, 20)


class Asked(NamedTuple):
    """One question with the turns each system found, best first."""

    conversation: Conversation
    question: Question
    found: dict[str, list[Turn]]
    seconds: float
    """What our search took, without embedding the question."""

    tokens: int
    """What the agent's prompt holds of it."""


Measure = Callable[[Asked, str, int], float]


async def ask_all(
    conversations: Sequence[Conversation], embedder: Embedder, *, captions: bool
) -> AsyncIterator[Asked]:
    """Ask every question of every system."""
    for conversation in conversations:
        archive = Archive(conversation, embedder)
        await archive.fill(captions=captions)
        for question in conversation.questions:
            ours, seconds, tokens = await archive.ours(question.text)
            vector, bm25 = await archive.vector(question.text), archive.bm25(question.text)
            found = {
                "plain vector": vector,
                "BM25": bm25,
                "RRF, equal parts": fused((vector, bm25)),
                "ours": ours,
            }
            yield Asked(conversation, question, found, seconds, tokens)


def turn_recall(asked: Asked, system: str, cut: int) -> float:
    """Return the share of evidence turns among the first `cut` turns."""
    top = {turn.turn_id for turn in asked.found[system][:cut]}
    return len(asked.question.evidence & top) / len(asked.question.evidence)


def any_turn(asked: Asked, system: str, cut: int) -> float:
    """Return 1 if any evidence turn is among the first `cut`."""
    return float(turn_recall(asked, system, cut) > 0)


def all_turns(asked: Asked, system: str, cut: int) -> float:
    """Return 1 if every evidence turn is among the first `cut`."""
    return float(turn_recall(asked, system, cut) == 1)


def session_recall(asked: Asked, system: str, cut: int) -> float:
    """Return the share of evidence sessions among the first `cut` sessions to turn up."""
    session_of = {turn.turn_id: turn.session for turn in asked.conversation.turns}
    wanted = {session_of[turn_id] for turn_id in asked.question.evidence}
    top = list(dict.fromkeys(turn.session for turn in asked.found[system]))[:cut]
    return len(wanted.intersection(top)) / len(wanted)


MEASURES: dict[str, Measure] = {
    "turns": turn_recall,
    "any turn": any_turn,
    "all turns": all_turns,
    "sessions": session_recall,
}


def report(answers: Sequence[Asked]) -> None:
    """Print recall per system, unit and cut; then what a search cost."""
    held_out = [a for a in answers if a.conversation.name not in TUNED_ON]
    members = {
        "tuned on": [a for a in answers if a.conversation.name in TUNED_ON],
        "held out": held_out,
    } | {
        f"· {name}": [a for a in held_out if a.question.category == number]
        for number, name in CATEGORIES.items()
    }
    print(f"{'recall@k, %':28}" + "".join(f"{name:>13}" for name in members))
    print(f"{'questions':28}" + "".join(f"{len(group):13}" for group in members.values()))
    for unit, measure in MEASURES.items():
        for cut in CUTS:
            for system in answers[0].found:
                means = [_mean(group, measure, system, cut) for group in members.values()]
                print(f"{unit:9}@{cut:<3}{system:15}" + "".join(means))
    cuts = quantiles((1000 * a.seconds for a in answers), n=20)
    print(f"our search, ms per query: p50 {cuts[9]:.2f}, p95 {cuts[18]:.2f}")
    print(f"tokens of the rendered turns: mean {fmean(a.tokens for a in answers):.0f}")


def _mean(group: Sequence[Asked], measure: Measure, system: str, cut: int) -> str:
    if not group:
        return f"{'':13}"
    return f"{100 * fmean(measure(asked, system, cut) for asked in group):13.1f}"


async def run(data: Path, *, captions: bool) -> None:
    """Store, ask and report."""
    conversations = load(data)
    name = get_settings().embedder
    known = [conversation.name for conversation in conversations]
    print(f"embedder {name}; captions {captions}; tuned on {sorted(TUNED_ON)}; in file {known}")
    asked = ask_all(conversations, load_embedder(name), captions=captions)
    report([each async for each in asked])


def main() -> None:
    """Read the arguments, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--captions", action="store_true", help="add what shared pictures show")
    options = parser.parse_args()
    asyncio.run(run(options.data, captions=options.captions))


if __name__ == "__main__":
    main()
