"""What was said just before and after each item, and how much does that tell about it?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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
