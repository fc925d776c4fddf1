"""Which row of an index belongs to which key, and what is known about each row?"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from memory_graph.policy.ranking import score_importance
from memory_graph.storage.documents import Document
from memory_graph.storage.neighbours import Floats, Rows, brevity

COLUMNS = np.dtype(
    [
        ("live", np.bool_),
        ("said_at", np.float64),
        ("speaker", np.int32),
        ("importance", np.float32),
        ("pinned", np.float32),
        ("asks", np.float32),
        ("brevity", np.float32),
        ("embedded", np.bool_),
    ]
)
NOBODY = -1


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
            "speaker": [self._speaker_id(document.speaker) for document in documents],
            "importance": [score_importance(document.importance) for document in documents],
            "pinned": [document.pinned for document in documents],
            "asks": np.array(asks) * brief,
            "brevity": brief,
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
