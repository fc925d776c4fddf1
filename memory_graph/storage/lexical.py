"""How well does each document of a namespace match the words of a query?"""

import math
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise

import numpy as np

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
        self._postings: dict[str, array[int]] = {}
        self._words: dict[int, Sequence[str]] = {}
        self._lengths = np.zeros(64, dtype=np.float32)
        self._normed: tuple[Context, Floats] | None = None

    def __len__(self) -> int:
        return len(self._words)

    def put(self, documents: Mapping[int, Sequence[str]]) -> None:
        """Add the documents at the given rows, or replace them; many at once cost far less."""
        self._normed = None
        for row in self._words.keys() & documents.keys():
            self.remove(row)
        self._words.update(documents)
        self._grow(max(documents, default=-1) + 1)
        self._lengths[list(documents)] = [len(words) for words in documents.values()]
        for word, packed in _postings(documents):
            if (known := self._postings.get(word)) is None:
                self._postings[word] = array("Q", packed)
            else:
                known.frombytes(packed)

    def remove(self, row: int) -> None:
        """Forget the document at `row`, if there is one."""
        if row not in self._words:
            return
        self._normed = None
        for word, count in Counter(self._words.pop(row)).items():
            postings = self._postings[word]
            place = postings.index(_pack(row, count))
            last = postings.pop()
            if place < len(postings):
                postings[place] = last
            if not postings:
                del self._postings[word]
        self._lengths[row] = 0

    def scores(self, words: Sequence[str], context: Context, *, rare: float = 1.0) -> Floats:
        """Return the BM25 score of every row, with neighbours' words counting as `context` says.

        BM25 takes the rarity of a word once. Taken twice, as in the cosine of two texts, what is
        shared by chance counts less.
        """
        size = len(context.rows)
        scores = np.zeros(size, dtype=np.float32)
        norms = self._norms(context)
        for word, weight in sorted(Counter(words).items()):
            if (postings := self._postings.get(word)) is None:
                continue
            counts = context.spread(*_unpack(postings))
            told = weight * math.pow(self.rarity(word), rare)
            scores += told * (self._k1 + 1) * counts / (counts + norms)
        return scores

    def coverage(self, words: Sequence[str], context: Context, *, rare: float = 1.0) -> Floats:
        """Return which share of the query each row covers, 0–1, a rare word weighing more.

        Words that no document has count as well, so that a poor match reads as poor.
        """
        possible = (self._k1 + 1) * sum(math.pow(self.rarity(word), rare) for word in words)
        return self.scores(words, context, rare=rare) / np.float32(possible or 1.0)

    def keywords(self, words: Sequence[str], limit: int) -> Sequence[str]:
        """Return `words`, or of too many the rarest `limit` that some document has."""
        if len(words) <= limit:
            return words
        known = sorted(word for word in set(words) if word in self._postings)
        return sorted(known, key=self.rarity, reverse=True)[:limit]

    def numbers(self, pattern: re.Pattern[str]) -> Iterator[str]:
        """Yield the numbers, written in digits, that `pattern` matches as a whole."""
        return filter(pattern.fullmatch, filter(str.isdecimal, self._postings))

    def rows_with(self, words: Iterable[str]) -> Rows:
        """Return the rows that hold any of `words`."""
        held = [_unpack(self._postings[word])[0] for word in words if word in self._postings]
        return np.concatenate(held) if held else np.zeros(0, dtype=np.intp)

    def rarity(self, word: str) -> float:
        """Return the inverse document frequency of a word: high for rare words, never negative."""
        postings = self._postings.get(word)
        found = len(postings) if postings else 0
        return math.log(1 + (len(self) - found + 0.5) / (found + 0.5))

    def _grow(self, size: int) -> None:
        if size > len(self._lengths):
            self._lengths = np.pad(self._lengths, (0, size))

    def _norms(self, context: Context) -> Floats:
        if self._normed is None or self._normed[0] is not context:
            self._normed = context, self._measured(context)
        return self._normed[1]

    def _measured(self, context: Context) -> Floats:
        size = len(context.rows)
        own = np.pad(self._lengths[:size], (0, max(0, size - len(self._lengths))))
        lengths = context.spread(np.arange(size), own)
        mean_length = max(float(lengths.sum()), 1.0) / max(len(self), 1)
        return np.asarray(self._k1 * (1 - self._b + self._b * lengths / mean_length), np.float32)


_COUNT_BITS = 12
_POSTING_BYTES = 8
_MAX_COUNT = (1 << _COUNT_BITS) - 1


def _pack(row: int, count: int) -> int:
    """Return a row that holds a word, and how often it does, as one number."""
    return row << _COUNT_BITS | min(count, _MAX_COUNT)


def _unpack(postings: "array[int]") -> tuple[Rows, Floats]:
    packed = np.array(postings, dtype=np.uint64)
    rows = (packed >> np.uint64(_COUNT_BITS)).astype(np.intp)
    return rows, (packed & np.uint64(_MAX_COUNT)).astype(np.float32)


def _postings(documents: Mapping[int, Sequence[str]]) -> Iterator[tuple[str, bytes]]:
    """Yield each word with the rows that hold it: the bytes of what `_pack` makes of them."""
    numbers = {word: n for n, word in enumerate(dict.fromkeys(chain(*documents.values())))}
    lengths = [len(words) for words in documents.values()]
    # The smaller the numbers, the faster they are sorted; a stable sort keeps a row's together.
    size = np.min_scalar_type(len(numbers))
    said = np.fromiter(map(numbers.__getitem__, chain(*documents.values())), size, sum(lengths))
    order = np.argsort(said, kind="stable")
    words, rows = said[order], np.repeat(np.array(list(documents), np.int64), lengths)[order]
    other = (words[1:] != words[:-1]) | (rows[1:] != rows[:-1])
    firsts = np.flatnonzero(np.concatenate([[len(words) > 0], other]))
    counts = np.diff(firsts, append=len(words))
    packed = (rows[firsts] << _COUNT_BITS | np.minimum(counts, _MAX_COUNT)).tobytes()
    ends = np.searchsorted(words[firsts], np.arange(len(numbers) + 1)) * _POSTING_BYTES
    for word, (start, end) in zip(numbers, pairwise(ends.tolist()), strict=True):
        yield word, packed[start:end]
