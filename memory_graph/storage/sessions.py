"""Which items were said in one session, and how well does a session fit as a whole?"""

from collections.abc import Sequence

import numpy as np

from memory_graph.storage.neighbours import Floats, Rows

DEEP = 5
"""How many of its best items speak for a session."""

_NONE = -1


class Sessions:
    """The group (a session, a thread's day) of each row."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._of_row: Rows = np.full(64, _NONE, dtype=np.intp)

    def put(self, rows: Rows, groups: Sequence[str | None]) -> None:
        """Say which group the item at each row belongs to."""
        missing = int(rows.max(initial=-1)) + 1 - len(self._of_row)
        if missing > 0:
            more = max(missing, len(self._of_row))
            self._of_row = np.pad(self._of_row, (0, more), constant_values=_NONE)
        known = self._numbers
        self._of_row[rows] = [
            _NONE if group is None else known.setdefault(group, len(known)) for group in groups
        ]

    def fit(self, values: Floats) -> Floats:
        """Return for each row the mean of the best values in its group; 0 without a group.

        A session that speaks of a topic does so more than once; a chance likeness stands alone.
        """
        groups = self._of_row[: len(values)]
        fits = np.zeros(len(values), dtype=np.float32)
        rows = np.flatnonzero(groups != _NONE)
        if not len(rows):
            return fits
        ordered = rows[np.argsort(groups[rows] - 0.5 * np.clip(values[rows], 0, 1))]
        sizes = np.bincount(groups[rows], minlength=len(self._numbers))
        places = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        best = ordered[places < DEEP]
        sums = np.bincount(groups[best], values[best], minlength=len(self._numbers))
        means = sums / np.maximum(np.minimum(sizes, DEEP), 1)
        fits[rows] = means[groups[rows]]
        return fits
