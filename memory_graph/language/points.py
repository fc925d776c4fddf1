"""The cut-off points of the heads, by what they are used for."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

POINTS = Path(__file__).parent / "data" / "heads.json"
"""Fitted points with what was measured there, and those that were chosen by hand."""


@cache
def points() -> Mapping[str, float]:
    """Return the probabilities to cut at, by name."""
    stored = json.loads(POINTS.read_text(encoding="utf-8"))
    listed = {**stored["points"], **stored["by_hand"]}
    return MappingProxyType({name: float(point["at"]) for name, point in listed.items()})
