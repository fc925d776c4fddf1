"""Read English time phrases: past times that are asked about, and dates that are stated."""

from memory_graph.language.english.time.finder import (
    event_date,
    find_dates,
    find_time_phrase,
    since,
)
from memory_graph.language.times import MAX_CHARACTERS, DateMention, TimeRange

__all__ = [
    "MAX_CHARACTERS",
    "DateMention",
    "TimeRange",
    "event_date",
    "find_dates",
    "find_time_phrase",
    "since",
]
