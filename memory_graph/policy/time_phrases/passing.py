"""What does a pattern mean that only passes on, or sets aside, what it captured?"""

from memory_graph.policy.time_phrases.values import NotPast, Recurring, Reference, Span, Value

CLOCK_TIME = "clock time"


def same(ref: Reference, *captured: Value) -> Value:
    """Return the one thing captured; clock times beside a day do not matter."""
    return next((value for value in captured if not isinstance(value, str)), None)


def clock_time(ref: Reference, *hours: Value) -> str:
    """Return a mark that is set aside, because ranges consist of days."""
    return CLOCK_TIME


def second(ref: Reference, weekday: int, day: Span | Recurring) -> Span | Recurring:
    """Return the date of `Tuesday, May 9`: it says more than the weekday."""
    return day


def first(ref: Reference, day: Span | Recurring, weekday: int) -> Span | Recurring:
    """Return the date of `May 9, Tuesday`."""
    return day


def not_past(ref: Reference, *ignored: Value) -> NotPast:
    """Return that there is nothing to look back on."""
    return NotPast()
