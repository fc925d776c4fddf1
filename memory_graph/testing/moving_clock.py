"""A clock that stands still until a test moves it."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from memory_graph import clock

MONDAY_NOON = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


@dataclass
class MovingClock:
    """The time in a test."""

    at: datetime = MONDAY_NOON

    def move(self, **step: float) -> None:
        """Let time pass: `move(days=1, hours=2)`."""
        self.at += timedelta(**step)

    def standing(self) -> AbstractContextManager[None]:
        """Make this the time for a block and the tasks it starts."""
        return clock.frozen(self.at)
