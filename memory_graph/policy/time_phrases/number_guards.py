"""Do the words around a number let it be a year or a day, or is it a quantity or a code?"""

from collections.abc import Sequence

from memory_graph.policy.time_phrases.guards import DAY_PREPOSITIONS
from memory_graph.policy.time_phrases.lexicon import words
from memory_graph.policy.time_phrases.surroundings import (
    COUNTED_NOUNS,
    POSSESSIVES,
    alone,
    closes,
    follows_of,
    has_hours,
    in_a_compound,
    of_an_event,
    previous,
)
from memory_graph.policy.time_phrases.tokens import Token

YEAR_PREPOSITIONS = frozenset(
    words(
        "during until till before after from between through throughout early late mid circa around"
    )
)
OLDEST_BARE_YEAR = "1800"
"""Smaller numbers are more often quantities."""
BARE_YEARS = ("1900", "2100")
"""What a message that is only a number may be a year between."""
SHARES = frozenset(words("all most much half part rest whole course remainder bulk"))
SIMPLE_FRACTIONS = frozenset({"1/2", "1/3", "2/3", "1/4", "3/4"})
FRACTION_PREPOSITIONS = frozenset({"in", "at", "of", "over", "around", "within", "past", "mid"})


def year_alone(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `in 2019`, not `room 2019` or `in 2000 words`."""
    before = tokens[start - 1].text if start else ""
    if not not_counted(tokens, start, end) or _opens_range(tokens, start, end):
        return False
    if _unmistakable_year(tokens, start, end):
        return True
    if before in {"in", "since"}:
        spoken = "YEAR" not in tokens[start].kinds
        return spoken or tokens[start].text >= OLDEST_BARE_YEAR or end == len(tokens)
    return before in YEAR_PREPOSITIONS and closes(tokens, end)


def _unmistakable_year(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept a bare `1954`, `our 2024 trip` and `all of 2025`."""
    if alone(tokens, start, end):
        return end - start > 1 or BARE_YEARS[0] <= tokens[start].text <= BARE_YEARS[1]
    if of_an_event(tokens, start, end):
        return True
    return start > 1 and tokens[start - 1].text == "of" and tokens[start - 2].text in SHARES


def _opens_range(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Tell that a range was not understood: the `1500` of `from 1500 to 2000 calories`."""
    before = tokens[start - 1].text if start else ""
    following = tokens[end].text if end < len(tokens) else ""
    return before in {"from", "between"} and following in {"to", "and", "-"}


def decade_alone(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `the 70s` and `1990s music`, not `in his 30s`."""
    if previous(tokens, start) in POSSESSIVES:
        return False
    if tokens[end - 1].text[:4].isdecimal() or tokens[start].text == "the":
        return True
    return previous(tokens, start) in {"in", "of", "from", "since", "during", "until", "before"}


def dated_on(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `on 10th`, not `on 10th street`."""
    return not tokens[end - 1].text.isalpha() and closes(tokens, end)


def day_number(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `on the 27th`, not `the 27th parameter` or `the second option`."""
    spelled_out = tokens[end - 1].text.isalpha()
    if alone(tokens, start, end) and not spelled_out:
        return True
    word = previous(tokens, start)
    if spelled_out and end < len(tokens) and tokens[end].is_word:
        return False
    if word in {"between", "and", "to", "from", "until", "till", "through"}:
        return False
    return word in DAY_PREPOSITIONS - {"in", "at", "last", "past", "this"} and closes(tokens, end)


def bare_day_number(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `on 15` and `for the 27`, not `on 15 servers` or `for 20 minutes`."""
    if (tokens[start].text == "for" and end - start == 2) or in_a_compound(tokens, end):
        return False
    return end >= len(tokens) or not tokens[end].is_word or tokens[end].text in {"from", "between"}


def looks_like_day(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `on 3/4` and `back 4/22`, not `3/4 cup` or `24/7`."""
    text = tokens[start].text
    first, second = (int(part) for part in text.split("/"))
    if text == "24/7":
        return False
    before = tokens[start - 1].text if start else ""
    if follows_of(tokens, start, end):
        return False
    if alone(tokens, start, end):
        return text not in SIMPLE_FRACTIONS
    if has_hours(tokens, end) or of_an_event(tokens, start, end):
        return True
    if before in DAY_PREPOSITIONS - FRACTION_PREPOSITIONS or _continues_dates(tokens, start):
        return True
    return max(first, second) > 12 and first != second and _nothing_counted(tokens, end)


def _continues_dates(tokens: Sequence[Token], start: int) -> bool:
    """Tell whether a weekday, or another such date and `to`, comes before."""
    if start and "WEEKDAY" in tokens[start - 1].kinds:
        return True
    if start < 2 or tokens[start - 1].text not in {"-", "to", "until", "through"}:
        return False
    return bool(tokens[start - 2].kinds.keys() & {"SLASHED", "NUMERIC", "CLOCK"})


def plausible_year(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Refuse `1024 Jan 3`: before a date a small number is a size."""
    return "YEAR" not in tokens[start].kinds or tokens[start].text >= OLDEST_BARE_YEAR


def _nothing_counted(tokens: Sequence[Token], end: int) -> bool:
    if end >= len(tokens) or not tokens[end].is_word or "CLOCK" in tokens[end].kinds:
        return True
    return tokens[end].text in {"at", "before", "after", "from", "between"}


def not_counted(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Refuse `from 1500 to 2000 calories`."""
    return end >= len(tokens) or tokens[end].text not in COUNTED_NOUNS


def short_year(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `Aug 96` and `3 March 24`, not `Aug 96%` or `3 March 24 people`."""
    month, year = tokens[end - 2 : end]
    following = tokens[end].text if end < len(tokens) else ""
    if len(year.text) != 2 or following in {"%", "-", "/", ":"}:
        return False
    if not no_other_year(tokens, start, end):
        return False
    if month.end == year.start:
        return True
    if alone(tokens, start, end):
        return True
    a_verb = month.text == "may" and end - start == 2
    return not a_verb and closes(tokens, end) and not following.isdecimal()


def no_other_year(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Refuse the `29 February` of `29 February 2025`, a day that does not exist."""
    index = end + 1 if end < len(tokens) and tokens[end].text == "," else end
    return index >= len(tokens) or "YEAR" not in tokens[index].kinds


def not_in_a_code(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Refuse `138-2010-2015` and `pages 1451-1452`."""
    around = {tokens[i].text for i in (start - 1, end) if 0 <= i < len(tokens)}
    plausible = tokens[start].text >= OLDEST_BARE_YEAR
    return plausible and not around & {"-", "+", "/"} and not_counted(tokens, start, end)
