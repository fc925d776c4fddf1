"""Which items of one namespace answer a query best, and why?"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from memory_graph.embeddings import Scale
from memory_graph.policy.answer_kinds import kinds_asked
from memory_graph.policy.ranking import Signal
from memory_graph.policy.wording import speaker_asked, without_names
from memory_graph.storage.documents import Document, Hit, Query, Window
from memory_graph.storage.lexical import LexicalIndex
from memory_graph.storage.neighbours import Context, Floats, Neighbours
from memory_graph.storage.sessions import Sessions
from memory_graph.storage.table import Table
from memory_graph.storage.words import stems, words_of

CONTEXT_WEIGHT = 0.3
"""How much a neighbour's similarity counts, against the item's own."""

MAX_QUERY_WORDS = 32
"""A pasted page costs no more than a long question."""

RARE = 2.0
"""How often the rarity of a word counts in ranking; in relevance it counts once, so that one
unknown word of a question does not make all others count for nothing."""

DAY_S = 86_400.0


class NamespaceIndex:
    """An in-process index of one namespace. Not for several threads at once."""

    def __init__(self, scale: Scale) -> None:
        self._scale = scale
        self._table = Table()
        self._lexical = LexicalIndex()
        self._neighbours = Neighbours()
        self._sessions = Sessions()

    def __len__(self) -> int:
        return len(self._table)

    def upsert(self, documents: Iterable[Document]) -> None:
        """Add documents, or replace those whose key is known."""
        batch = list({document.key: document for document in documents}.values())
        if not batch:
            return
        words = [words_of(document.text) for document in batch]
        lengths = np.array([len(each) for each in words], dtype=np.intp)
        rows = self._table.put(batch, lengths)
        self._lexical.put(dict(zip(rows.tolist(), words, strict=True)))
        groups = [document.group for document in batch]
        places = [None if d.group is None else (d.group, d.position) for d in batch]
        self._sessions.put(rows, groups)
        self._neighbours.put(rows, places, lengths)

    def remove(self, keys: Iterable[str]) -> None:
        """Forget documents; unknown keys are passed over."""
        removed = [row for key in keys if (row := self._table.remove(key)) is not None]
        for row in removed:
            self._lexical.remove(row)
        rows = np.array(removed, dtype=np.intp)
        self._sessions.put(rows, [None] * len(removed))
        self._neighbours.remove(rows)

    def search(self, query: Query, limit: int) -> list[Hit]:
        """Return the best `limit` documents, best first; of equals, the latest comes first."""
        signals = self._signals(query)
        weights = query.weights.by_signal(with_vector="vector" in signals)
        parts = {signal: weights[signal] * values for signal, values in signals.items()}
        scores = np.sum(list(parts.values()), axis=0)
        relevance = self._relevance(query, parts)
        return [
            Hit(
                self._table.key(row),
                float(scores[row]),
                {signal: float(values[row]) for signal, values in parts.items()},
                float(relevance[row]),
            )
            for row in self._best(scores, query.window, limit)
        ]

    def speakers(self) -> list[str]:
        """Return who said something here, by the names documents give."""
        return self._table.speakers()

    def latest(self, limit: int) -> list[str]:
        """Return the keys of the documents said last, newest first."""
        rows = np.flatnonzero(self._table.cells["live"])
        order = np.argsort(-self._table.cells["said_at"][rows], kind="stable")
        return [self._table.key(row) for row in rows[order[:limit]]]

    def nearest(self, vector: Sequence[float], limit: int) -> list[tuple[str, float]]:
        """Return the documents closest in meaning alone, with their cosines, best first."""
        if not self._table.vectors.shape[1]:
            return []
        cosines = np.einsum("ij,j->i", self._table.vectors, np.asarray(vector, dtype=np.float32))
        rows = np.flatnonzero(self._table.cells["embedded"])
        if len(rows) > limit:
            rows = rows[np.argpartition(-cosines[rows], limit - 1)[:limit]]
        best = rows[np.argsort(-cosines[rows], kind="stable")]
        return [(self._table.key(row), float(cosines[row])) for row in best]

    def _signals(self, query: Query) -> dict[Signal, Floats]:
        """Return every signal, each between 0 and 1, for every row."""
        cells = self._table.cells
        context = self._neighbours.context(self._table.size)
        words = self._lexical.keywords(self._words(query, query.text), MAX_QUERY_WORDS)
        speaker = speaker_asked(query.text, query.voices)
        signals: dict[Signal, Floats] = {
            "lexical": self._lexical.coverage(words, context, rare=RARE),
            "speaker": self._table.spoken_by(speaker).astype(np.float32),
            "time": _closeness(cells["said_at"], query.window),
            "asks": cells["asks"],
            "answer": self._answers(query.text),
            "importance": cells["importance"],
            "recency": _recency(cells["said_at"], query),
            "pinned": cells["pinned"],
        }
        cosines = self._cosines(query)
        if cosines is not None:
            signals["vector"] = self._similarity(cosines, context)
            signals["session"] = self._sessions.fit(signals["vector"]) * cells["brevity"]
        return signals

    def _relevance(self, query: Query, parts: Mapping[Signal, Floats]) -> Floats:
        """Return how well each row fits the topic, 0–1; what else ranks a row does not count."""
        weights = query.weights.by_signal(with_vector="vector" in parts)
        topic = self._words(query, query.topic or query.text)
        words = self._lexical.keywords(topic, MAX_QUERY_WORDS)
        covered = self._lexical.coverage(words, self._neighbours.context(self._table.size))
        whole = (weights["lexical"] + weights["vector"]) or 1.0
        fit = weights["lexical"] * covered + parts.get("vector", 0.0)
        return np.asarray(fit / whole, dtype=np.float32)

    def _answers(self, text: str) -> Floats:
        """Return 1 for rows that name the kind of thing a question asks for."""
        named = np.zeros(self._table.size, dtype=np.float32)
        for kind in kinds_asked(text):
            words = stems(kind.words).union(self._lexical.numbers(kind.digits))
            named[self._lexical.rows_with(words)] = 1
        return named

    def _words(self, query: Query, text: str) -> list[str]:
        return words_of(without_names(text, query.voices.participants))

    def _cosines(self, query: Query) -> Floats | None:
        """Return the cosine of every row, 0 where it is unknown; nothing without a vector."""
        if query.cosines is not None:
            cosines = np.zeros(self._table.size, dtype=np.float32)
            for key, cosine in query.cosines.items():
                if (row := self._table.row(key)) is not None:
                    cosines[row] = cosine
            return cosines
        if query.vector is None:
            return None
        if not self._table.vectors.shape[1]:
            return np.zeros(self._table.size, dtype=np.float32)
        vector = np.asarray(query.vector, dtype=np.float32)
        # Not `@`: its threads wait for each other when the machine is busy, 20 ms instead of 5.
        return np.asarray(np.einsum("ij,j->i", self._table.vectors, vector))

    def _similarity(self, cosines: Floats, context: Context) -> Floats:
        """Return calibrated similarity, each item's averaged with its neighbours'."""
        own = np.interp(cosines, *self._scale.points).astype(np.float32)
        return context.average(own, CONTEXT_WEIGHT)

    def _best(self, scores: Floats, window: Window | None, limit: int) -> list[int]:
        cells = self._table.cells
        eligible = cells["live"]
        if window is not None and window.mode == "hard":
            eligible = eligible & (cells["said_at"] >= window.start)
            eligible = eligible & (cells["said_at"] < window.end)
        rows = np.flatnonzero(eligible)
        if len(rows) > limit:
            rows = rows[np.argpartition(-scores[rows], limit - 1)[:limit]]
        order = np.lexsort((-cells["said_at"][rows], -scores[rows]))
        return [int(row) for row in rows[order]]


def _recency(said_at: Floats, query: Query) -> Floats:
    """Return what `policy.ranking.score_recency` does, for every row."""
    ages = np.maximum(query.now - said_at, 0.0) / DAY_S
    return np.asarray(0.5 ** (ages / query.weights.half_life_days), dtype=np.float32)


def _closeness(said_at: Floats, window: Window | None) -> Floats:
    """Return 1 within the window, falling to 0 at one more window's width from it."""
    if window is None:
        return np.zeros(len(said_at), dtype=np.float32)
    outside = np.maximum(window.start - said_at, said_at - window.end)
    fade = max(window.end - window.start, DAY_S)
    return np.asarray(np.clip(1 - outside / fade, 0, 1), dtype=np.float32)
