"""How does a score depend on one threshold, on both splits?"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A score over the values of one setting."""

    setting: str
    measure: str
    current: float
    values: tuple[float, ...]
    tune: tuple[float, ...]
    check: tuple[float, ...]
