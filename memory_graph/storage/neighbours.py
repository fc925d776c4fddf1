"""What was said just before and after each item, and how much does that tell about it?"""

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


def brevity(words: int) -> float:
    """Return 1 for an item that leans on its neighbours, 0 for one that explains itself."""
    return min(1.0, max(0.0, 2 - words / BRIEF_WORDS))


class Neighbours:
    """The order of items within their groups (a session, a thread)."""

    def __init__(self) -> None:
        self._group_of: dict[int, str] = {}
        self._groups: dict[str, dict[int, int]] = {}
        self._changed: set[str] = set()
        self._brevity = np.zeros(0, dtype=np.float32)
        self._rows = np.zeros((0, 2 * REACH), dtype=np.intp)
        self._decay = np.zeros((0, 2 * REACH), dtype=np.float32)

    def put(self, row: int, place: tuple[str, int], words: int) -> None:
        """Place the item at `row`, which is `words` long, by its group and position in it."""
        self.remove(row)
        self._grow(row + 1)
        group, position = place
        self._group_of[row] = group
        self._groups.setdefault(group, {})[row] = position
        self._brevity[row] = brevity(words)
        self._changed.add(group)

    def remove(self, row: int) -> None:
        """Take the item at `row` out of its group, if it is in one."""
        group = self._group_of.pop(row, None)
        if group is None:
            return
        del self._groups[group][row]
        self._decay[row] = 0
        self._changed.add(group)

    def context(self, size: int) -> Context:
        """Return who counts as whose neighbour among rows 0 to `size` - 1."""
        self._grow(size)
        for group in self._changed:
            self._link(self._groups[group])
            if not self._groups[group]:
                del self._groups[group]
        self._changed.clear()
        rows = self._rows[:size]
        brevity = self._brevity[:size, None] * self._brevity[rows]
        return Context(rows, self._decay[:size] * brevity)

    def _link(self, positions: dict[int, int]) -> None:
        ordered = np.array(sorted(positions, key=lambda row: (positions[row], row)), dtype=np.intp)
        self._decay[ordered] = 0
        for step in range(1, REACH + 1):
            earlier, later = ordered[:-step], ordered[step:]
            for column, here, there in ((step - 1, later, earlier), (-step, earlier, later)):
                self._rows[here, column] = there
                self._decay[here, column] = DECAY**step

    def _grow(self, size: int) -> None:
        missing = size - len(self._brevity)
        if missing <= 0:
            return
        more = max(missing, len(self._brevity))
        self._brevity = np.pad(self._brevity, (0, more))
        self._rows = np.pad(self._rows, ((0, more), (0, 0)))
        self._decay = np.pad(self._decay, ((0, more), (0, 0)))
