"""Which tool results of an exchange are events of its episode?"""

from collections.abc import Sequence
from datetime import datetime

from memory_graph.policy.exchange import Said
from memory_graph.records import Event

_MOST_EVENTS = 20
"""Per episode; the newest are kept."""


def events_of(
    said: Sequence[Said], at: datetime, *, after: Sequence[Event] = ()
) -> tuple[Event, ...]:
    """Return `after` followed by one event per tool result, numbered on.

    A success names the failure right before it as its cause. Tool output is left out: it is
    long, and not the user's.
    """
    events = list(after)
    for one in said:
        if one.role == "tool":
            events.append(_event(one, at, previous=events[-1] if events else None))
    return tuple(events[-_MOST_EVENTS:])


def _event(one: Said, at: datetime, *, previous: Event | None) -> Event:
    number = 1 + (_number(previous) if previous else 0)
    overcame = previous is not None and previous.type == "error"
    return Event(
        id=f"e{number:03d}",
        timestamp=at,
        type="error" if one.is_error else "tool_call",
        content=f"{one.tool or 'tool'} {'failed' if one.is_error else 'succeeded'}",
        caused_by=(previous.id,) if previous and overcame else (),
    )


def _number(event: Event) -> int:
    return int(event.id[1:]) if event.id[1:].isdigit() else 0
