"""Which row of an index belongs to which key, and what is known about each row?"""

import numpy as np
import numpy.typing as npt

from memory_graph.policy.ranking import score_importance
from memory_graph.storage.documents import Document
from memory_graph.storage.neighbours import Floats, brevity

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

    def put(self, document: Document, words: int) -> int:
        """Write a document of `words` words to its row, and return the row.

        Raises:
            ValueError: If its vector is not as long as those already there.
        """
        self._widen(document)
        row = self._claim(document.key)
        asks, brief = document.text.rstrip().endswith("?"), brevity(words)
        self._cells[row] = (
            True,
            document.said_at,
            self._speaker_id(document.speaker),
            score_importance(document.importance),
            document.pinned,
            asks * brief,
            brief,
            document.vector is not None,
        )
        self._vectors[row] = 0 if document.vector is None else document.vector
        return row

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

    def _claim(self, key: str) -> int:
        row = self._row_of.get(key)
        if row is None:
            row = self._free.pop() if self._free else self._append()
            self._row_of[key] = row
            self._key_of[row] = key
        return row

    def _append(self) -> int:
        self._key_of.append("")
        if self.size > len(self._cells):
            self._cells = np.concatenate([self._cells, np.zeros_like(self._cells)])
            self._vectors = np.concatenate([self._vectors, np.zeros_like(self._vectors)])
        return self.size - 1

    def _speaker_id(self, speaker: str | None) -> int:
        if not speaker:
            return NOBODY
        return self._speakers.setdefault(speaker.casefold(), len(self._speakers))

    def _widen(self, document: Document) -> None:
        """Give the first vector its columns, and hold every other one to that length."""
        if document.vector is None:
            return
        given, width = len(document.vector), self._vectors.shape[1]
        if not width:
            self._vectors = np.zeros((len(self._cells), given), dtype=np.float32)
        elif given != width:
            raise ValueError(f"Expected a vector of length {width}, got {given}.")
