"""Do the words around a reading let it be a time, or is it a name or a verb?"""

from collections.abc import Sequence

from memory_graph.policy.time_phrases.lexicon import (
    FUNCTION_WORDS,
    MISTAKABLE_WEEKDAYS,
    UNMISTAKABLE_MONTHS,
    words,
)
from memory_graph.policy.time_phrases.tokens import Token

TIME_PREPOSITIONS = frozenset(
    words(
        "in on at since until till til before after during from through between last past previous "
        "this early late mid over around throughout by within circa"
    )
)
DAY_PREPOSITIONS = TIME_PREPOSITIONS | {"for", "of"}
STREET = frozenset(words("street road avenue lane drive st rd ave blvd"))
TITLED = frozenset({"song", "songs", "album", "band", "titled", "entitled", "named"})
LARGE_COUNTS = frozenset({"hundred", "thousand", "million", "billion"})
SENTENCE_END = frozenset({".", "?", "!", ")", '"', ";"})


def previous(tokens: Sequence[Token], start: int) -> str:
    """Return the word before, skipping an article; empty at the beginning."""
    index = start - 1
    while index >= 0 and tokens[index].text in {"the", "early", "late", "mid", "-"}:
        index -= 1
    return tokens[index].text if index >= 0 else ""


def closes(tokens: Sequence[Token], end: int) -> bool:
    """Tell whether no noun follows that would make the reading part of a name."""
    if end >= len(tokens):
        return True
    following = tokens[end]
    return (
        not following.is_word
        or following.text in FUNCTION_WORDS
        or bool(following.kinds.keys() & {"CLOCK", "DAYPART", "NUM"})
    )


def names_a_work(tokens: Sequence[Token], start: int) -> bool:
    """Tell `the song Yesterday` from a day."""
    before = [token.text for token in tokens[max(0, start - 2) : start] if token.is_word]
    return bool(before) and before[-1] in TITLED


def month_alone(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `in May`, not `this may take`, `march on` or `February 30`."""
    following = tokens[end] if end < len(tokens) else None
    if following and following.kinds.keys() & {"NUM", "ORDINAL"} and "YEAR" not in following.kinds:
        return False
    name, word = tokens[start].text, previous(tokens, start)
    if name == "may" and word == "this":
        return following is None or following.text in SENTENCE_END
    if word in TIME_PREPOSITIONS - {"on", "at"} or word in {"of", "month"}:
        return True
    return name in UNMISTAKABLE_MONTHS and closes(tokens, end)


def weekday_alone(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `on Sunday` and `see you Sunday.`, not `the sun set` or `Sunday roast`."""
    before = tokens[start - 1].text if start else ""
    if tokens[start].text in MISTAKABLE_WEEKDAYS:
        at_night = end < len(tokens) and "DAYPART" in tokens[end].kinds
        return before in TIME_PREPOSITIONS or at_night
    if before in DAY_PREPOSITIONS or tokens[start].text.endswith("days"):
        return before != "for" or closes(tokens, end)
    following = tokens[end].text if end < len(tokens) else ""
    return closes(tokens, end) and following not in {"is", "and", "as"} and before != "me"


def season_alone(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `in the fall`, not `fall in love` or `summer dresses`."""
    return previous(tokens, start) in TIME_PREPOSITIONS and closes(tokens, end)


def holiday_alone(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `on Easter` and `Memorial Day`, not `Christmas tree`."""
    if not closes(tokens, end):
        return False
    return previous(tokens, start) in DAY_PREPOSITIONS or tokens[end - 1].text == "day"


def not_address(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Refuse `12 March Street`."""
    return end >= len(tokens) or tokens[end].text not in STREET


def quarter_of_a_year(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `in the first quarter`, not `the first quarter of the game`."""
    return previous(tokens, start) in TIME_PREPOSITIONS and not follows_of(tokens, start, end)


def follows_of(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Tell whether `of` comes next."""
    return end < len(tokens) and tokens[end].text == "of"


def not_of_a_course(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Refuse `week 3 of the course`; a year may follow."""
    if not follows_of(tokens, start, end) or end + 1 >= len(tokens):
        return True
    return tokens[end + 1].text in {"this", "last", "previous"} or "YEAR" in tokens[end + 1].kinds


def not_last_day(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Refuse `my last day at work`."""
    return tokens[end - 1].text != "day"


def not_a_day(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `the end of the week`, not `the end of the day`."""
    return tokens[end - 1].kinds.get("UNIT") in {"week", "month", "quarter", "year"}


def uncounted(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `weeks ago`, not `week ago`, `how many weeks ago` or `a million years ago`."""
    before = tokens[start - 1] if start else None
    counted = before is not None and (before.text in LARGE_COUNTS or before.text[:1].isdigit())
    asked = start > 1 and tokens[start - 2].text == "how"
    return tokens[start].text.endswith("s") and not counted and not asked


def not_this_may(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Refuse `this may take`; other months, seasons and days are fine."""
    if tokens[end - 1].text not in {"may", "march", "spring", "fall"}:
        return True
    return month_alone(tokens, end - 1, end) and closes(tokens, end)


def not_compared(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Refuse `most recently created`."""
    return start == 0 or tokens[start - 1].text not in {"most", "least", "more", "less"}


def closing(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `2016 and after`, not `2016 and after my work is done`."""
    return end >= len(tokens) or not tokens[end].is_word


def weekend_past(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `over the weekend`, not `have a nice weekend`."""
    return bool(start) and tokens[start - 1].text in {"over", "on", "at", "during", "since", "in"}
