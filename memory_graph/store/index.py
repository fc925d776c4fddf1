"""The index of one namespace: its items with their words and vectors, and the search."""

import math
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from sys import intern
from typing import Any

import numpy as np
import numpy.typing as npt

from memory_graph.embedding import Scale
from memory_graph.language.voices import speaker_asked, without_names
from memory_graph.language.words import words_of
from memory_graph.policies import RankingWeights as RankingWeights
from memory_graph.ranking import score, score_importance, score_recency
from memory_graph.records import Signal
from memory_graph.store.values import Document, Hit, Query, Statistics, Window
from memory_graph.store.values import Fields as Fields

Rows = npt.NDArray[np.intp]

Floats = npt.NDArray[np.float32]

REACH = 3
"""How many items on each side count."""

DECAY = 0.6
"""How much less each further item counts."""

BRIEF_WORDS = 25
"""Up to here (stop words not counted) an item leans on its neighbours; from twice this, not at all.

A chat turn such as "Yes, last week!" is found by the question before it. Long turns explain
themselves: there, neighbours cost two to four points of recall.
"""


@dataclass(frozen=True)
class Context:
    """Who lends words to whom: row `r` and `rows[r]` do, as much as `weights[r]` says."""

    rows: Rows
    weights: Floats

    @classmethod
    def alone(cls, size: int) -> "Context":
        """Return the context of `size` items that have no neighbours."""
        return cls(np.zeros((size, 0), dtype=np.intp), np.zeros((size, 0), dtype=np.float32))

    def spread(self, rows: Rows, values: Floats) -> Floats:
        """Return `values` of `rows` as one array over all rows, shared with their neighbours."""
        size = len(self.rows)
        shared = self.weights[rows] * values[:, None]
        spread = np.zeros(size, dtype=np.float32)
        spread[rows] = values
        spread += np.bincount(self.rows[rows].ravel(), shared.ravel(), minlength=size)
        return spread

    def average(self, values: Floats, weight: float) -> Floats:
        """Return each row's value averaged with its neighbours', which count `weight` as much."""
        weights = self.weights * np.float32(weight)
        near = np.einsum("ij,ij->i", weights, values[self.rows])
        return np.asarray((values + near) / (1 + weights.sum(axis=1)), dtype=np.float32)


def brevity(words: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return 1 for an item that leans on its neighbours, 0 for one that explains itself."""
    return np.clip(2 - np.asarray(words) / BRIEF_WORDS, 0.0, 1.0)


Place = tuple[str, int]
"""A group, and a position in it."""

_NONE = -1


class Neighbours:
    """The order of items within their groups (a session, a thread)."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._changed: set[int] = set()
        self._group: Rows = np.zeros(0, dtype=np.intp)
        self._position = np.zeros(0, dtype=np.float64)
        self._brevity = np.zeros(0, dtype=np.float32)
        self._rows = np.zeros((0, 2 * REACH), dtype=np.intp)
        self._decay = np.zeros((0, 2 * REACH), dtype=np.float32)
        self._context = Context.alone(0)

    def put(self, rows: Rows, places: Sequence[Place | None], words: Rows) -> None:
        """Place the items at `rows`, which are `words` long; those without a place stand alone."""
        self._grow(int(rows.max(initial=-1)) + 1)
        self.remove(rows)
        known = self._numbers
        groups = [_NONE if p is None else known.setdefault(p[0], len(known)) for p in places]
        self._group[rows] = groups
        self._position[rows] = [0 if place is None else place[1] for place in places]
        self._brevity[rows] = brevity(words)
        self._changed.update(groups)

    def remove(self, rows: Rows) -> None:
        """Take the items at `rows` out of their groups."""
        self._grow(int(rows.max(initial=-1)) + 1)
        self._changed.update(self._group[rows].tolist())
        self._group[rows] = _NONE
        self._decay[rows] = 0

    def context(self, size: int) -> Context:
        """Return who counts as whose neighbour among rows 0 to `size` - 1.

        It is the same object as long as nothing changed.
        """
        if self._changed or len(self._context.rows) != size:
            self._grow(size)
            self._link(np.flatnonzero(np.isin(self._group, list(self._changed - {_NONE}))))
            self._changed.clear()
            rows = self._rows[:size]
            brevity = self._brevity[:size, None] * self._brevity[rows]
            self._context = Context(rows, self._decay[:size] * brevity)
        return self._context

    def _link(self, rows: Rows) -> None:
        """Make neighbours of rows that follow each other in a group; `rows` are whole groups."""
        ordered = rows[np.lexsort((rows, self._position[rows], self._group[rows]))]
        groups = self._group[ordered]
        self._decay[ordered] = 0
        for step in range(1, REACH + 1):
            together = groups[:-step] == groups[step:]
            earlier, later = ordered[:-step][together], ordered[step:][together]
            for column, here, there in ((step - 1, later, earlier), (-step, earlier, later)):
                self._rows[here, column] = there
                self._decay[here, column] = DECAY**step

    def _grow(self, size: int) -> None:
        missing = size - len(self._brevity)
        if missing <= 0:
            return
        more = max(missing, len(self._brevity))
        self._group = np.pad(self._group, (0, more), constant_values=_NONE)
        self._position = np.pad(self._position, (0, more))
        self._brevity = np.pad(self._brevity, (0, more))
        self._rows = np.pad(self._rows, ((0, more), (0, 0)))
        self._decay = np.pad(self._decay, ((0, more), (0, 0)))


COLUMNS = np.dtype(
    [
        ("live", np.bool_),
        ("said_at", np.float64),
        ("about_start", np.float64),
        ("about_end", np.float64),
        ("speaker", np.int32),
        ("importance", np.float32),
        ("pinned", np.float32),
        ("asks", np.float32),
        ("embedded", np.bool_),
    ]
)

NOBODY = -1

NEVER = (-1e12, -1e12)
"""The time spoken of by what speaks of none."""


class Table:
    """Columns that grow as needed; the row of a removed key is used again."""

    def __init__(self) -> None:
        self._row_of: dict[str, int] = {}
        self._key_of: list[str] = []
        self._free: list[int] = []
        self._speakers: dict[str, int] = {}
        self._cells = np.zeros(64, dtype=COLUMNS)
        self._vectors = np.zeros((64, 0), dtype=np.float32)

    def __len__(self) -> int:
        return len(self._row_of)

    @property
    def size(self) -> int:
        """How many rows there are, free ones included."""
        return len(self._key_of)

    @property
    def cells(self) -> npt.NDArray[np.void]:
        """Everything but the vectors, by row and `COLUMNS`."""
        return self._cells[: self.size]

    @property
    def vectors(self) -> Floats:
        """One vector per row; zeros where a document has none."""
        return self._vectors[: self.size]

    def put(self, documents: Sequence[Document], words: Rows) -> Rows:
        """Write documents, each of so many words and a key of its own, and return their rows.

        Raises:
            ValueError: If a vector is not as long as those already there.
        """
        width = self._width(documents)
        rows = self._claim([document.key for document in documents])
        self._grow(self.size, width)
        asks = [document.text.rstrip().endswith("?") for document in documents]
        brief = brevity(words)
        columns = {
            "live": True,
            "said_at": [document.said_at for document in documents],
            "about_start": [(document.about or NEVER)[0] for document in documents],
            "about_end": [(document.about or NEVER)[1] for document in documents],
            "speaker": [self._speaker_id(document.speaker) for document in documents],
            "importance": [score_importance(document.importance) for document in documents],
            "pinned": [document.pinned for document in documents],
            "asks": np.array(asks) * brief,
            "embedded": [document.vector is not None for document in documents],
        }
        for name, values in columns.items():
            self._cells[name][rows] = values
        self._write_vectors(rows, documents)
        return rows

    def remove(self, key: str) -> int | None:
        """Free the row of `key` and return it; nothing if the key is unknown."""
        row = self._row_of.pop(key, None)
        if row is not None:
            self._cells[row] = np.zeros((), dtype=COLUMNS)
            self._free.append(row)
        return row

    def key(self, row: int) -> str:
        """Return the key at a row that is in use."""
        return self._key_of[row]

    def row(self, key: str) -> int | None:
        """Return the row of a key, if it is known."""
        return self._row_of.get(key)

    def spoken_by(self, speaker: str | None) -> npt.NDArray[np.bool_]:
        """Return which rows `speaker` said; none for nobody."""
        speaker_id = self._speakers.get((speaker or "").casefold(), NOBODY)
        return np.asarray((self.cells["speaker"] == speaker_id) & (speaker_id != NOBODY))

    def speakers(self) -> list[str]:
        """Return who said a row that is in use, case-folded, in the order they came."""
        speaking = set(self.cells["speaker"][self.cells["live"]].tolist())
        return [name for name, number in self._speakers.items() if number in speaking]

    def _claim(self, keys: Sequence[str]) -> Rows:
        """Return the row of each key; a new one gets a removed one's, or one at the end."""
        for key in keys:
            if key not in self._row_of:
                row = self._free.pop() if self._free else self._append()
                self._row_of[key] = row
                self._key_of[row] = key
        return np.array([self._row_of[key] for key in keys], dtype=np.intp)

    def _append(self) -> int:
        self._key_of.append("")
        return self.size - 1

    def _speaker_id(self, speaker: str | None) -> int:
        if not speaker:
            return NOBODY
        return self._speakers.setdefault(speaker.casefold(), len(self._speakers))

    def _width(self, documents: Sequence[Document]) -> int:
        """Return how long vectors are: as long as the first ones."""
        lengths = {len(document.vector) for document in documents if document.vector is not None}
        width = self._vectors.shape[1] or next(iter(lengths), 0)
        if odd := lengths - {width}:
            raise ValueError(f"Expected a vector of length {width}, got {odd.pop()}.")
        return width

    def _grow(self, size: int, width: int) -> None:
        more = max(size - len(self._cells), len(self._cells)) if size > len(self._cells) else 0
        self._cells = _enlarged(self._cells, (len(self._cells) + more,))
        self._vectors = _enlarged(self._vectors, (len(self._cells), width))

    def _write_vectors(self, rows: Rows, documents: Sequence[Document]) -> None:
        vectors = [document.vector for document in documents if document.vector is not None]
        embedded = self._cells["embedded"][rows]
        self._vectors[rows[~embedded]] = 0
        if vectors:
            self._vectors[rows[embedded]] = np.concatenate(vectors).reshape(len(vectors), -1)


def _enlarged(array: npt.NDArray[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Return an array of a larger shape that begins with `array` and goes on with zeros."""
    if array.shape == shape:
        return array
    larger = np.zeros(shape, dtype=array.dtype)
    larger[tuple(slice(length) for length in array.shape)] = array
    return larger


Matches = Mapping[str, Floats]
"""How much each row has of each word of a query."""


class LexicalIndex:
    """BM25 over documents that come and go one at a time.

    Where they are only some of a namespace, its `statistics` say how rare words are in all of it.
    Documents are known by a small integer, their row, so that scores come as one array.
    No library did: among 10,000 documents, one more costs `bm25s` a rebuild of 0.4 s and `tantivy`
    a commit of 13 ms, and neither lets a neighbour's words count.
    """

    def __init__(
        self, statistics: Statistics | None = None, *, k1: float = 0.6, b: float = 0.3
    ) -> None:
        self._statistics = statistics
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
        # Shared and in tuples: a word of ten indexes is held once, and garbage collections pass by.
        self._words |= {row: tuple(map(intern, words)) for row, words in documents.items()}
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

    def matches(self, words: Iterable[str], context: Context) -> dict[str, Floats]:
        """Return how much each row has of each word, as BM25 counts it, with neighbours' words.

        Only of words that some document has.
        """
        norms, found = self._norms(context), dict[str, Floats]()
        for word in dict.fromkeys(words):
            if postings := self._postings.get(word):
                counts = context.spread(*_unpack(postings))
                found[word] = (self._k1 + 1) * counts / (counts + norms)
        return found

    def scores(
        self,
        words: Sequence[str],
        context: Context,
        *,
        rare: float = 1.0,
        matches: Matches | None = None,
    ) -> Floats:
        """Return the BM25 score of every row, with neighbours' words counting as `context` says.

        BM25 takes the rarity of a word once. Taken twice, as in the cosine of two texts, what is
        shared by chance counts less. `matches` are those of the words, where they are known.
        """
        known = self.matches(words, context) if matches is None else matches
        scores = np.zeros(len(context.rows), dtype=np.float32)
        for word, count in sorted(Counter(words).items()):
            if word in known:
                scores += np.float32(count * math.pow(self.rarity(word), rare)) * known[word]
        return scores

    def coverage(
        self,
        words: Sequence[str],
        context: Context,
        *,
        rare: float = 1.0,
        matches: Matches | None = None,
    ) -> Floats:
        """Return which share of the query each row covers, 0–1, a rare word weighing more.

        Words that no document has count as well, so that a poor match reads as poor.
        """
        possible = (self._k1 + 1) * sum(math.pow(self.rarity(word), rare) for word in words)
        scores = self.scores(words, context, rare=rare, matches=matches)
        return scores / np.float32(possible or 1.0)

    def shares(self, rows: Sequence[int], words: Sequence[str]) -> list[float]:
        """Return which share of `words` each row has itself, a rare word weighing more."""
        rarity = [(word, self.rarity(word)) for word in words]
        possible = sum(weight for _, weight in rarity) or 1.0
        own = [set(self._words.get(row, ())) for row in rows]
        return [sum(weight for word, weight in rarity if word in has) / possible for has in own]

    def keywords(self, words: Sequence[str], limit: int) -> Sequence[str]:
        """Return `words`, or of too many the rarest `limit` that some document has."""
        if len(words) <= limit:
            return words
        known = sorted(word for word in set(words) if word in self._postings)
        return sorted(known, key=self.rarity, reverse=True)[:limit]

    def rarity(self, word: str) -> float:
        """Return the inverse document frequency of a word: high for rare words, never negative."""
        if self._statistics:
            documents, found = self._statistics.documents, self._statistics.found.get(word, 0)
        else:
            documents, found = len(self), len(self._postings.get(word, ()))
        return math.log(1 + (documents - found + 0.5) / (found + 0.5))

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
        if self._statistics:
            here = max(float(own.sum()), 1.0) / max(len(self), 1)
            mean_length *= max(self._statistics.length, 1.0) / here
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


CONTEXT_WEIGHT = 0.3
"""How much a neighbour's similarity counts, against the item's own."""

MAX_QUERY_WORDS = 32
"""A pasted page costs no more than a long question."""

RARE = 2.0
"""How often the rarity of a word counts in ranking; in relevance it counts once, so that one
unknown word of a question does not make all others count for nothing."""

DAY_S = 86_400.0

INSTANT_S = 1e-3
"""The end of a window is not in it."""


class NamespaceIndex:
    """An in-process index of one namespace. Not for several threads at once."""

    def __init__(self, scale: Scale, statistics: Statistics | None = None) -> None:
        self._scale = scale
        self._table = Table()
        self._lexical = LexicalIndex(statistics)
        self._neighbours = Neighbours()
        self._facets: dict[str, Mapping[str, str]] = {}
        self._listed: dict[str, Mapping[str, str]] = {}

    def __len__(self) -> int:
        return len(self._table)

    def upsert(self, documents: Iterable[Document]) -> None:
        """Add documents, or replace those whose key is known."""
        given = {document.key: document for document in documents}
        batch = [document for document in given.values() if document.tells]
        self.remove(key for key, document in given.items() if not document.tells)
        self._listed |= {key: each.listed for key, each in given.items() if each.listed}
        if not batch:
            return
        words = [words_of(d.text) if d.words is None else d.words for d in batch]
        lengths = np.array([len(each) for each in words], dtype=np.intp)
        rows = self._table.put(batch, lengths)
        self._lexical.put(dict(zip(rows.tolist(), words, strict=True)))
        places = [None if d.group is None else (d.group, d.position) for d in batch]
        self._neighbours.put(rows, places, lengths)
        self._facets |= {d.key: d.facets for d in batch}

    def remove(self, keys: Iterable[str]) -> None:
        """Forget documents; unknown keys are passed over."""
        gone = [*keys]
        for key in gone:
            self._facets.pop(key, None)
            self._listed.pop(key, None)
        removed = [row for key in gone if (row := self._table.remove(key)) is not None]
        for row in removed:
            self._lexical.remove(row)
        rows = np.array(removed, dtype=np.intp)
        self._neighbours.remove(rows)

    def search(self, query: Query, limit: int) -> list[Hit]:
        """Return the best `limit` documents, best first; of equals, the latest comes first."""
        cosines = self._cosines(query)
        context = self._neighbours.context(self._table.size)
        words, topic = self._words(query, query.text), self._words(query, query.topic or query.text)
        asked = self._lexical.keywords(words, MAX_QUERY_WORDS)
        about = self._lexical.keywords(topic, MAX_QUERY_WORDS)
        matches = self._lexical.matches((*asked, *about), context)
        lexical = self._lexical.coverage(asked, context, rare=RARE, matches=matches)
        covered = self._lexical.coverage(about, context, matches=matches)
        signals = self._signals(query, lexical, cosines, context)
        ranked = score(signals, query.weights, covered)
        best = self._best(ranked.score, query.window, limit)
        rows = [int(row) for row in best]
        parts = [values[best].tolist() for values in ranked.parts.values()]
        alike = [0.0] * len(rows) if cosines is None else cosines[best].tolist()
        columns = (
            [self._table.key(row) for row in rows],
            ranked.score[best].tolist(),
            [dict(zip(ranked.parts, each, strict=True)) for each in zip(*parts, strict=True)],
            ranked.relevance[best].tolist(),
            self._lexical.shares(rows, topic),
            [self._scale.similarity(cosine) for cosine in alike],
            self._outdone(query, rows, alike),
        )
        return [Hit(*each) for each in zip(*columns, strict=True)]

    def _outdone(
        self, query: Query, rows: Sequence[int], alike: Sequence[float]
    ) -> Sequence[int | None]:
        """Return how many of the other questions each row is closer to than to this one."""
        if query.others is None or query.cosines is not None or not self._table.vectors.shape[1]:
            return [None] * len(rows)
        others = np.einsum("ij,kj->ik", self._table.vectors[rows], query.others)
        return [int(count) for count in (others > np.array(alike)[:, None]).sum(axis=1)]

    def speakers(self) -> list[str]:
        """Return who said something here, by the names documents give."""
        return self._table.speakers()

    def having(self, facet: str, values: Collection[str]) -> list[str]:
        """Return the documents of which a facet has one of these values."""
        return [key for key, facets in self._facets.items() if facets.get(facet) in values]

    def listing(self, named: Mapping[str, str]) -> dict[str, Mapping[str, str]]:
        """Return what is listed of the documents that have these values, by key."""
        sought = named.items()
        return {key: each for key, each in self._listed.items() if sought <= each.items()}

    def tally(self, names: Sequence[str]) -> Counter[tuple[str, ...]]:
        """Return how many documents have each combination of these facets, of those that do."""
        having = (facets for facets in self._facets.values() if facets.keys() >= {*names})
        return Counter(tuple(facets[name] for name in names) for facets in having)

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

    def vectors(self, keys: Iterable[str]) -> dict[str, Floats]:
        """Return the vectors that documents are indexed by, of those that have one."""
        rows = {key: row for key in keys if (row := self._table.row(key)) is not None}
        embedded = self._table.cells["embedded"]
        return {key: self._table.vectors[row].copy() for key, row in rows.items() if embedded[row]}

    def _signals(
        self, query: Query, lexical: Floats, cosines: Floats | None, context: Context
    ) -> dict[Signal, Floats]:
        """Return every signal, each between 0 and 1, for every row."""
        cells = self._table.cells
        speaker = speaker_asked(query.text, query.voices)
        signals: dict[Signal, Floats] = {
            "lexical": lexical,
            "speaker": self._table.spoken_by(speaker).astype(np.float32),
            "time": _closeness(cells, query.window),
            "asks": cells["asks"],
            "importance": cells["importance"],
            "recency": _recency(cells["said_at"], query),
            "pinned": cells["pinned"],
        }
        if cosines is not None:
            signals["vector"] = self._similarity(cosines, context)
        return signals

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

    def _best(self, scores: Floats, window: Window | None, limit: int) -> Rows:
        cells = self._table.cells
        eligible = cells["live"]
        if window is not None and window.mode == "hard":
            eligible = eligible & (_distance(cells, window) <= 0)
        rows = np.flatnonzero(eligible)
        if len(rows) > limit:
            rows = rows[np.argpartition(-scores[rows], limit - 1)[:limit]]
        order = np.lexsort((-cells["said_at"][rows], -scores[rows]))
        return rows[order]


def _recency(said_at: Floats, query: Query) -> Floats:
    ages = np.maximum(query.now - said_at, 0.0) / DAY_S
    return np.asarray(score_recency(ages, query.weights), dtype=np.float32)


def _closeness(cells: npt.NDArray[np.void], window: Window | None) -> Floats:
    """Return 1 within the window, falling to 0 at one more window's width from it."""
    if window is None:
        return np.zeros(len(cells), dtype=np.float32)
    fade = max(window.end - window.start, DAY_S)
    return np.asarray(np.clip(1 - _distance(cells, window) / fade, 0, 1), dtype=np.float32)


def _distance(cells: npt.NDArray[np.void], window: Window) -> npt.NDArray[np.float64]:
    """Return how far from the window each row was said, or what it speaks of was, in seconds."""
    last = window.end - INSTANT_S
    said = np.maximum(window.start - cells["said_at"], cells["said_at"] - last)
    spoken_of = np.maximum(
        window.start - cells["about_end"] + INSTANT_S, cells["about_start"] - last
    )
    return np.asarray(np.minimum(said, spoken_of))
