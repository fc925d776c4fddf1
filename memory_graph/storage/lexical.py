"""How well does each document of a namespace match the words of a query?"""

import math
from array import array
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from memory_graph.storage.neighbours import Context, Floats, Rows


class LexicalIndex:
    """BM25 over documents that come and go one at a time.

    Documents are known by a small integer, their row, so that scores come as one array.
    No library did: among 10,000 documents, one more costs `bm25s` a rebuild of 0.4 s and `tantivy`
    a commit of 13 ms, and neither lets a neighbour's words count.
    """

    def __init__(self, *, k1: float = 0.6, b: float = 0.3) -> None:
        self._k1 = k1
        self._b = b
        self._postings: dict[str, _Postings] = {}
        self._words: dict[int, tuple[str, ...]] = {}
        self._lengths = np.zeros(64, dtype=np.float32)

    def __len__(self) -> int:
        return len(self._words)

    def put(self, row: int, words: Sequence[str]) -> None:
        """Add the document at `row`, or replace it."""
        self.remove(row)
        counts = Counter(words)
        for word, count in counts.items():
            postings = self._postings.get(word)
            if postings is None:
                postings = self._postings[word] = _Postings()
            postings.rows.append(row)
            postings.counts.append(count)
        self._words[row] = tuple(counts)
        if row >= len(self._lengths):
            self._lengths = np.pad(self._lengths, (0, row + 1))
        self._lengths[row] = len(words)

    def remove(self, row: int) -> None:
        """Forget the document at `row`, if there is one."""
        if row not in self._words:
            return
        for word in self._words.pop(row):
            postings = self._postings[word]
            postings.discard(row)
            if not postings.rows:
                del self._postings[word]
        self._lengths[row] = 0

    def scores(self, words: Sequence[str], context: Context) -> Floats:
        """Return the BM25 score of every row, with neighbours' words counting as `context` says."""
        size = len(context.rows)
        scores = np.zeros(size, dtype=np.float32)
        norms = self._norms(context)
        for word, weight in sorted(Counter(words).items()):
            if (postings := self._postings.get(word)) is None:
                continue
            counts = context.spread(*postings.as_arrays())
            scores += weight * self.rarity(word) * (self._k1 + 1) * counts / (counts + norms)
        return scores

    def coverage(self, words: Sequence[str], context: Context) -> Floats:
        """Return which share of the query each row covers, 0–1, a rare word weighing more.

        Words that no document has count as well, so that a poor match reads as poor.
        """
        possible = (self._k1 + 1) * sum(self.rarity(word) for word in words)
        return self.scores(words, context) / np.float32(possible or 1.0)

    def keywords(self, words: Sequence[str], limit: int) -> Sequence[str]:
        """Return `words`, or of too many the rarest `limit` that some document has."""
        if len(words) <= limit:
            return words
        known = sorted(word for word in set(words) if word in self._postings)
        return sorted(known, key=self.rarity, reverse=True)[:limit]

    def rarity(self, word: str) -> float:
        """Return the inverse document frequency of a word: high for rare words, never negative."""
        postings = self._postings.get(word)
        found = len(postings.rows) if postings else 0
        return math.log(1 + (len(self) - found + 0.5) / (found + 0.5))

    def _norms(self, context: Context) -> Floats:
        size = len(context.rows)
        own = np.pad(self._lengths[:size], (0, max(0, size - len(self._lengths))))
        lengths = context.spread(np.arange(size), own)
        mean_length = max(float(lengths.sum()), 1.0) / max(len(self), 1)
        return np.asarray(self._k1 * (1 - self._b + self._b * lengths / mean_length), np.float32)


class _Postings:
    """The rows that hold one word, and how often each does."""

    __slots__ = ("counts", "rows")

    def __init__(self) -> None:
        self.rows = array("I")
        self.counts = array("I")

    def discard(self, row: int) -> None:
        place = self.rows.index(row)
        last_row, last_count = self.rows.pop(), self.counts.pop()
        if place < len(self.rows):
            self.rows[place], self.counts[place] = last_row, last_count

    def as_arrays(self) -> tuple[Rows, npt.NDArray[np.float32]]:
        return np.array(self.rows, dtype=np.intp), np.array(self.counts, dtype=np.float32)
