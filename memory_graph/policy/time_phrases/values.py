"""What a time phrase can mean: a span of local days, or something that comes round again."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal

Granularity = Literal[
    "hour_part",
    "day",
    "weekend",
    "week",
    "month",
    "quarter",
    "season",
    "year",
    "decade",
    "range",
]
Hemisphere = Literal["north", "south"]
Cycle = Literal["week", "month", "year"]


@dataclass(frozen=True, kw_only=True)
class TimeRange:
    """The time a message speaks of, as instants in the user's zone."""

    phrase: str
    """As found in the text."""

    start: datetime | None
    """Inclusive; nothing means open."""

    end: datetime | None
    """Exclusive; nothing means open."""

    granularity: Granularity
    hard: bool
    """False for a vague phrase (`recently`), which may only ever boost."""

    confidence: float
    scopes_conversation: bool
    """The phrase says when something was said (`what did you tell me yesterday`)."""

    alternatives: tuple[tuple[datetime, datetime], ...] = ()
    """Other readings, weaker."""


@dataclass(frozen=True, kw_only=True)
class Reference:
    """The user's here and now, against which a phrase is read."""

    now: datetime
    """Aware, in the user's zone."""

    hemisphere: Hemisphere = "north"

    @property
    def today(self) -> date:
        """Return the local date."""
        return self.now.date()

    def day_before(self, length: timedelta) -> date:
        """Return the local date that much elapsed time ago, clock changes included."""
        return (self.now.astimezone(UTC) - length).astimezone(self.now.tzinfo).date()


@dataclass(frozen=True)
class Span:
    """Local days from `start` up to, not including, `end`."""

    start: date | None
    end: date | None
    granularity: Granularity
    hard: bool = True
    confidence: float = 0.95
    alternatives: tuple[tuple[date, date], ...] = ()


@dataclass(frozen=True)
class Recurring:
    """A span that comes round every week, month or year: Friday, the 27th, March, Easter."""

    cycle: Cycle
    occurrence: Callable[[int], Span | None]
    """The span in a given cycle, if that cycle has one (29 February)."""

    strictly_past: bool = False
    """Said on the day itself, the previous one is meant: `on Friday`, said on a Friday."""


class NotPast:
    """A phrase that was understood and is nothing to look back on: `next week`."""


@dataclass(frozen=True)
class Amount:
    """A length of time as people say it: `two weeks`, `a year and a half`, `a few days`."""

    months: int = 0
    days: int = 0
    minutes: int = 0
    coarse: bool = False
    """Counted in weeks or more: people say two weeks for seventeen days."""

    vague: bool = False


Value = Span | Recurring | NotPast | Amount | date | int | str | None
