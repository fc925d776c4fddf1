"""What does a whole predicate state, by all rows of the table?"""

from dataclasses import replace

from memory_graph.llm.offline.statements.pattern import Pattern, Reading
from memory_graph.llm.offline.statements.predicates import Predicate
from memory_graph.llm.offline.statements.table import (
    belongings,
    health,
    home,
    interests,
    person,
    preferences,
    work,
)
from memory_graph.llm.offline.statements.values import clean

Group = tuple[Pattern, ...]

GROUPS: tuple[Group, ...] = (
    *home.GROUPS,
    *work.GROUPS,
    *person.GROUPS,
    *health.GROUPS,
    *preferences.GROUPS,
    *belongings.GROUPS,
    *interests.GROUPS,
)
"""Within a group the first row that reads something wins; every group is tried."""

LAST_RESORT: tuple[Group, ...] = (preferences.TASTES, belongings.TOOLS)
"""Broad rows (`I like …`, `I use …`), asked only when no narrower one has read the predicate."""


def read_predicate(predicate: Predicate) -> tuple[Reading, ...]:
    """Return everything a predicate states."""
    timeless = replace(predicate, text=clean(predicate.text))
    return _read(GROUPS, predicate) or _read(GROUPS, timeless) or _read(LAST_RESORT, predicate)


def _read(groups: tuple[Group, ...], predicate: Predicate) -> tuple[Reading, ...]:
    found: list[Reading] = []
    for group in groups:
        readings = (pattern.readings(predicate) for pattern in group)
        found.extend(next(filter(None, readings), ()))
    return tuple(found)
