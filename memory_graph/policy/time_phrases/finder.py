"""Which past time does a message speak of?"""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from itertools import islice
from typing import NamedTuple
from zoneinfo import ZoneInfo

from memory_graph.policy.time_phrases.calendar import add_days
from memory_graph.policy.time_phrases.conversation import scopes_conversation
from memory_graph.policy.time_phrases.excerpts import excerpts, worth_trying
from memory_graph.policy.time_phrases.grammar import GRAMMAR
from memory_graph.policy.time_phrases.localise import midnight
from memory_graph.policy.time_phrases.parser import Parse
from memory_graph.policy.time_phrases.sentences import speaks_of
from memory_graph.policy.time_phrases.tokens import Token, tokenize
from memory_graph.policy.time_phrases.values import Hemisphere, Reference, Span, TimeRange

SCANNED_EACH_END = 2000
"""Of a longer text only the beginning and the end are read."""
OLDEST = date(2, 1, 1)
"""The first days of year 1 have no instant in zones east of Greenwich."""
HITS_COMPARED = 5
"""A message full of dates is a list, and its first few are as good as the rest."""


class _Hit(NamedTuple):
    span: Span
    start: int
    end: int
    scopes: bool


def find_time_phrase(
    text: str, *, now: datetime, zone: ZoneInfo, hemisphere: Hemisphere = "north"
) -> TimeRange | None:
    """Find the past time a message speaks of.

    Args:
        text: What the user wrote.
        now: When they wrote it; aware.
        zone: Where they are; days begin there.
        hemisphere: Decides the seasons.

    Returns:
        The clearest phrase: exact before vague, about the conversation before about the world,
        then the first. Nothing when no phrase looks back.
    """
    if len(text) > 2 * SCANNED_EACH_END:
        text = f"{text[:SCANNED_EACH_END]}\n\n{text[-SCANNED_EACH_END:]}"
    reference = Reference(now=now.astimezone(zone), hemisphere=hemisphere)
    hits = islice(_hits(text, reference), HITS_COMPARED)
    best = max(hits, key=lambda hit: (hit.span.hard, hit.scopes, -hit.start), default=None)
    return None if best is None else _localised(best, text, zone)


def _hits(text: str, reference: Reference) -> Iterator[_Hit]:
    plain = text.replace("’", "'")
    for start, end in excerpts(plain):
        tokens = tokenize(plain, start, end)
        for span, first, after in _spans(tokens, reference):
            begin, finish = tokens[first].start, tokens[after - 1].end
            yield _Hit(span, begin, finish, scopes_conversation(text, begin, finish))


def _spans(tokens: Sequence[Token], reference: Reference) -> Iterator[tuple[Span, int, int]]:
    """Yield every past span with the tokens it was read from."""
    parse = Parse(GRAMMAR, tokens, reference)
    read_up_to = 0
    for position in worth_trying(tokens):
        found = parse.longest("phrase", position) if position >= read_up_to else None
        if found is None:
            continue
        value, read_up_to = found
        if not speaks_of(tokens, position, read_up_to):
            continue
        if isinstance(value, Span) and _has_begun(value, reference.today):
            yield value, position, read_up_to


def _has_begun(span: Span, today: date) -> bool:
    if span.start is None:
        return span.end is not None and OLDEST <= span.end <= add_days(today, 1)
    return OLDEST <= span.start <= today


def _localised(hit: _Hit, text: str, zone: ZoneInfo) -> TimeRange:
    span = hit.span
    return TimeRange(
        phrase=text[hit.start : hit.end],
        start=midnight(span.start, zone) if span.start else None,
        end=midnight(span.end, zone) if span.end else None,
        granularity=span.granularity,
        hard=span.hard,
        confidence=span.confidence,
        scopes_conversation=hit.scopes,
        alternatives=tuple(
            (midnight(first, zone), midnight(last, zone)) for first, last in span.alternatives
        ),
    )
