"""Does a statement announce an event on a day?"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from memory_graph.llm.offline.statements.days import find_day, find_month
from memory_graph.llm.offline.statements.subjects import Form, Told

_EVENT = (
    r"(?:wedding|graduation|exam|driving test|interview|job interview|appointment|surgery|"
    r"operation|flight|concert|defen[cs]e|party|conference|trip|holiday|vacation|deadline|"
    r"checkup|check-up|move|due date|recital|marathon|race|anniversary|presentation|"
    r"meeting with \w+|baby shower|retirement)"
)
_POSSESSED = re.compile(
    rf"^(?P<event>(?:[\w'-]+ ){{0,3}}?{_EVENT}(?: (?:to|in|with|at) [A-Z]\w+)?) "
    r"(?:is|will be|(?:has )?moved to|has been (?:moved|postponed|rescheduled) to) (?P<when>.+)$",
    re.IGNORECASE,
)
_HAVING = re.compile(
    r"^(?:have|(?:am|are) having) (?:an? |my |the |another )?"
    rf"(?P<event>(?:[\w'-]+ ){{0,3}}?{_EVENT}(?: (?:to|with|at) \w+)?) (?P<when>.+)$",
    re.IGNORECASE,
)
_SHIFTED = re.compile(
    r"^(?:have )?(?:moved|postponed|rescheduled|pushed) (?:the|my|our) "
    rf"(?P<event>(?:[\w-]+ )?{_EVENT})(?: back)? (?:to|until) (?P<when>.+)$",
    re.IGNORECASE,
)
_MOVING = re.compile(r"^(?:am|are) moving (?P<event>to [A-Z][\w ]*?) (?P<when>(?:in|on|next) .+)$")
_MARRYING = re.compile(r"^(?:am|are) getting married (?P<when>.+)$")

_PATTERNS: Mapping[Form, tuple[tuple[re.Pattern[str], str], ...]] = {
    "possession": ((_POSSESSED, "{event}"),),
    "predicate": (
        (_HAVING, "{event}"),
        (_SHIFTED, "{event}"),
        (_MOVING, "move {event}"),
        (_MARRYING, "wedding"),
    ),
}
"""How each form of clause announces an event, and what the event is then called."""


@dataclass(frozen=True)
class Event:
    """Something that will happen, and when."""

    name: str
    when: str
    """`2027-06-12`, or `2027-06` when only the month was told."""

    day: date | None


def read_event(told: Told, today: date) -> Event | None:
    """Return the event a clause announces, if its day or month can be told."""
    for pattern, name in _PATTERNS[told.form]:
        if match := pattern.match(told.rest):
            day = find_day(match["when"], today)
            when = day.isoformat() if day else find_month(match["when"], today)
            return Event(name.format(**match.groupdict()), when, day) if when else None
    return None
