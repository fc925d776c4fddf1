"""How much of the evidence does each way of searching find among a conversation's turns?

Run `python -m benchmarks.locomo_retrieval --data FILE`. Recall@k is the mean over questions of
the share of evidence turns (or of the sessions they are in) among the first k.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean, quantiles
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.locomo import CATEGORIES, Conversation, Question, Turn, asked_window, load
from memory_graph.embeddings import Embedder, load_embedder
from memory_graph.policy.wording import Voices, search_text
from memory_graph.storage.documents import Document, Query
from memory_graph.storage.index import NamespaceIndex
from memory_graph.storage.lexical import LexicalIndex
from memory_graph.storage.neighbours import Context
from memory_graph.storage.words import words_of

TUNED_ON = frozenset({"conv-26", "conv-30", "conv-41"})
"""Weights were chosen on these conversations; every other one is held out."""

CUTS = (5, 10, 20)
RRF_K = 60


class Asked(NamedTuple):
    """One question with the turns each system found, best first."""

    conversation: Conversation
    question: Question
    found: dict[str, list[Turn]]
    seconds: float
    """What our search took, without embedding the question."""


class Corpus:
    """One conversation, indexed for all systems."""

    def __init__(self, conversation: Conversation, embedder: Embedder, *, captions: bool) -> None:
        self.turns = conversation.turns
        self._speakers = conversation.speakers
        self._embedder = embedder
        self._now = max(turn.said_at for turn in self.turns)
        texts = [f"{t.text} {t.caption}" if captions else t.text for t in self.turns]
        vectors = embedder.embed_sync(texts)
        self._matrix = np.array(vectors)
        self._words = LexicalIndex()
        for row, (turn, text) in enumerate(zip(self.turns, texts, strict=True)):
            self._words.put(row, words_of(f"{turn.speaker}: {text}"))
        self._index = NamespaceIndex(embedder.scale)
        self._index.upsert(map(_document, self.turns, texts, vectors))
        self._by_id = {turn.turn_id: turn for turn in self.turns}

    def vector(self, text: str) -> list[Turn]:
        """Rank by cosine with the question as it is: what a store's own search does."""
        return self._ranked(self._matrix @ np.array(self._embedder.embed_sync([text])[0]))

    def bm25(self, text: str) -> list[Turn]:
        """Rank by BM25 over stems, the speaker's name included."""
        return self._ranked(self._words.scores(words_of(text), Context.alone(len(self.turns))))

    def rrf(self, text: str) -> list[Turn]:
        """Rank by reciprocal rank fusion of the two above, in equal parts."""
        fused = dict.fromkeys(self._by_id, 0.0)
        for ranked in (self.vector(text), self.bm25(text)):
            for rank, turn in enumerate(ranked, start=1):
                fused[turn.turn_id] += 1 / (RRF_K + rank)
        return [self._by_id[key] for key in sorted(fused, key=lambda key: -fused[key])]

    def ours(self, text: str) -> tuple[list[Turn], float]:
        """Rank with `NamespaceIndex`, and say how long the search took."""
        wanted = search_text(text, self._speakers)
        query = Query(
            text=text,
            now=self._now,
            vector=self._embedder.embed_sync([wanted])[0],
            voices=Voices(participants=self._speakers),
            window=asked_window(text, self._now),
        )
        started = time.perf_counter()
        hits = self._index.search(query, 100)
        took = time.perf_counter() - started
        return [self._by_id[hit.key] for hit in hits], took

    def _ranked(self, scores: npt.NDArray[np.floating]) -> list[Turn]:
        return [self.turns[row] for row in np.argsort(-scores, kind="stable")]


def _document(turn: Turn, text: str, vector: Sequence[float]) -> Document:
    return Document(
        key=turn.turn_id,
        text=text,
        said_at=turn.said_at,
        vector=vector,
        speaker=turn.speaker,
        group=turn.session,
        position=turn.position,
    )


def ask_all(
    conversations: Sequence[Conversation], embedder: Embedder, *, captions: bool
) -> Iterator[Asked]:
    """Ask every question of every system."""
    for conversation in conversations:
        corpus = Corpus(conversation, embedder, captions=captions)
        for question in conversation.questions:
            ours, seconds = corpus.ours(question.text)
            found = {
                "plain vector": corpus.vector(question.text),
                "BM25": corpus.bm25(question.text),
                "RRF, equal parts": corpus.rrf(question.text),
                "ours": ours,
            }
            yield Asked(conversation, question, found, seconds)


def turn_recall(asked: Asked, system: str, cut: int) -> float:
    """Return the share of evidence turns among the first `cut` turns."""
    top = {turn.turn_id for turn in asked.found[system][:cut]}
    return len(asked.question.evidence & top) / len(asked.question.evidence)


def session_recall(asked: Asked, system: str, cut: int) -> float:
    """Return the share of evidence sessions among the first `cut` sessions to turn up."""
    session_of = {turn.turn_id: turn.session for turn in asked.conversation.turns}
    wanted = {session_of[turn_id] for turn_id in asked.question.evidence}
    top = list(dict.fromkeys(turn.session for turn in asked.found[system]))[:cut]
    return len(wanted.intersection(top)) / len(wanted)


def report(answers: Sequence[Asked]) -> None:
    """Print recall per system, unit and cut; then what a search cost."""
    members = {
        "tuned on": [a for a in answers if a.conversation.name in TUNED_ON],
        "held out": [a for a in answers if a.conversation.name not in TUNED_ON],
        "all": list(answers),
    } | {
        name: [a for a in answers if a.question.category == number]
        for number, name in CATEGORIES.items()
    }
    print(f"{'recall@k, %':28}" + "".join(f"{name:>12}" for name in members))
    print(f"{'questions':28}" + "".join(f"{len(group):12}" for group in members.values()))
    for unit, recall in (("turns", turn_recall), ("sessions", session_recall)):
        for cut in CUTS:
            for system in answers[0].found:
                means = [
                    f"{100 * fmean(recall(a, system, cut) for a in group):12.1f}" if group else ""
                    for group in members.values()
                ]
                print(f"{unit:9}@{cut:<3}{system:15}" + "".join(means))
    cuts = quantiles((1000 * a.seconds for a in answers), n=20)
    print(f"our search, ms per query: p50 {cuts[9]:.2f}, p95 {cuts[18]:.2f}")


def main() -> None:
    """Read the arguments, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--embedder", default="use")
    parser.add_argument("--captions", action="store_true", help="add what shared pictures show")
    options = parser.parse_args()
    conversations = load(options.data)
    names = [conversation.name for conversation in conversations]
    print(f"embedder {options.embedder}; tuned on {sorted(TUNED_ON)}; in this file {names}")
    embedder = load_embedder(options.embedder)
    report(list(ask_all(conversations, embedder, captions=options.captions)))


if __name__ == "__main__":
    main()
