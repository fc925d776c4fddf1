"""Does a statement announce an event on a day?"""

import re
from dataclasses import dataclass
from datetime import date

from memory_graph.llm.offline.statements.days import find_day
from memory_graph.llm.offline.statements.subjects import Told

_EVENT = (
    r"(?:wedding|graduation|exam|driving test|interview|job interview|appointment|surgery|"
    r"operation|flight|concert|defen[cs]e|party|conference|trip|holiday|vacation|deadline|"
    r"checkup|check-up|move|due date|recital|marathon|race|anniversary|presentation|"
    r"meeting with \w+|baby shower|retirement)"
)
_POSSESSED = re.compile(
    rf"^(?P<event>(?:[\w'-]+ ){{0,3}}?{_EVENT}(?: (?:to|in|with|at) [A-Z]\w+)?) (?:is|will be|"
    rf"has moved to|moved to)"
    r" (?P<when>.+)$",
    re.IGNORECASE,
)
_HAVING = re.compile(
    rf"^have (?:an? |my |the )(?P<event>(?:[\w'-]+ ){{0,3}}?{_EVENT}(?: (?:to|"
    rf"with) \w+)?) (?P<when>.+)$",
    re.IGNORECASE,
)
_SHIFTED = re.compile(
    rf"^(?:have )?(?:moved|postponed|rescheduled|pushed) (?:the|my|"
    rf"our) (?P<event>(?:[\w-]+ )?{_EVENT})"
    r"(?: back)? (?:to|until) (?P<when>.+)$",
    re.IGNORECASE,
)
_MOVING = re.compile(
    r"^(?:am|are|be) moving (?P<event>to [A-Z][\w ]*?) (?P<when>(?:in|on|next) .+)$"
)


@dataclass(frozen=True)
class Event:
    """Something that will happen, and when."""

    name: str
    day: date


def read_event(told: Told, today: date) -> Event | None:
    """Return the event a clause announces, if its day can be told."""
    patterns = (_POSSESSED,) if told.form == "possession" else (_HAVING, _SHIFTED, _MOVING)
    for pattern in patterns:
        if match := pattern.match(told.rest):
            day = find_day(match["when"], today)
            name = match["event"] if pattern is not _MOVING else f"move {match['event']}"
            return Event(name, day) if day else None
    return None
