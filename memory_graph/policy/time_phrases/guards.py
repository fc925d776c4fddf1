"""Do the words around a reading let it be a time, or is it a name or a verb?"""

from collections.abc import Sequence

from memory_graph.policy.time_phrases.lexicon import (
    UNMISTAKABLE_MONTHS,
    words,
)
from memory_graph.policy.time_phrases.surroundings import (
    POSSESSIVES,
    alone,
    closes,
    follows_of,
    has_hours,
    of_an_event,
    previous,
    told_in_past,
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
EXPLAINED = frozenset({"history", "origin", "origins", "meaning", "story", "tradition"})
LARGE_COUNTS = frozenset({"hundred", "thousand", "million", "billion"})
SENTENCE_END = frozenset({".", "?", "!", ")", '"', ";"})


def month_alone(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `in May`, not `this may take`, `march on`, `February 30` or `32 August`."""
    if not no_impossible_day(tokens, start, end):
        return False
    following = tokens[end] if end < len(tokens) else None
    if following and following.kinds.keys() & {"NUM", "ORDINAL"} and "YEAR" not in following.kinds:
        return False
    name, word = tokens[start].text, previous(tokens, start)
    if of_an_event(tokens, start, end):
        return True
    if start and tokens[start - 1].text == "the" and word in {"on", "at", ""}:
        return False
    if alone(tokens, start, end) and _written_out(name):
        return True
    if name == "may" and word == "this":
        return following is None or following.text in SENTENCE_END
    if word in TIME_PREPOSITIONS - {"on", "at"} or word in {"of", "month"}:
        return True
    return name in UNMISTAKABLE_MONTHS and closes(tokens, end)


def _written_out(month: str) -> bool:
    return len(month) > 3 or month == "may"


def no_impossible_day(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Refuse the `April 2025` of `31 April 2025`, a day that does not exist."""
    if "MONTH" not in tokens[start].kinds or _is_day_number(tokens, start + 1):
        return True
    index = start - 1
    if index > 0 and tokens[index].text in {"of", "-", "/"}:
        index -= 1
    return not _is_day_number(tokens, index)


def _is_day_number(tokens: Sequence[Token], index: int) -> bool:
    if not 0 <= index < len(tokens):
        return False
    kinds = tokens[index].kinds.keys()
    return bool(kinds & {"NUM", "ORDINAL"}) and "YEAR" not in kinds


def not_just_a_measure(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Refuse `the day of the month`, `the twelve days of Christmas`: they name no one day."""
    unit = tokens[start + 1] if tokens[start].text == "the" else tokens[start]
    measure = "UNIT" in tokens[end - 1].kinds and tokens[end - 2].text in {"the", "of"}
    return not measure and not unit.text.endswith("s")


def not_a_question(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Refuse the numbered questions `Q1: …` and `see Q2`."""
    following = tokens[end].text if end < len(tokens) else ""
    before = tokens[start - 1].text if start else ""
    return following != ":" and before not in {"question", "answer", "see", "answers", "questions"}


def season_alone(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `in the fall`, not `fall in love`, `summer dresses` or `is it cold in winter`."""
    if alone(tokens, start, end):
        return True
    if start and tokens[start - 1].text == "in" and not told_in_past(tokens, start):
        return False
    return previous(tokens, start) in TIME_PREPOSITIONS and closes(tokens, end)


def holiday_alone(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `on Easter` and `Memorial Day`, not `Christmas tree`."""
    if alone(tokens, start, end):
        return True
    if not closes(tokens, end) or _explained(tokens, start):
        return False
    if has_hours(tokens, end):
        return True
    return previous(tokens, start) in DAY_PREPOSITIONS or tokens[end - 1].text in {"day", "eve"}


def _explained(tokens: Sequence[Token], start: int) -> bool:
    """Tell `what is Pi Day`, `the history of Labor Day` and `a leap day` from days that were."""
    before = [token.text for token in tokens[max(0, start - 2) : start]]
    if not before or before[-1] in {"is", "a", "an"}:
        return bool(before)
    return before[-1] == "of" and before[0] in EXPLAINED


def not_address(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Refuse `12 March Street`."""
    return end >= len(tokens) or tokens[end].text not in STREET


def quarter_of_a_year(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `in the first quarter`, not `the first quarter of the game`."""
    if alone(tokens, start, end):
        return True
    return previous(tokens, start) in TIME_PREPOSITIONS and not follows_of(tokens, start, end)


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
    return tokens[end - 1].kinds.get("UNIT") in {"week", "month", "quarter", "year", "decade"}


def uncounted(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `weeks ago`, not `week ago`, `how many weeks ago` or `a million years ago`."""
    before = tokens[start - 1] if start else None
    counted = before is not None and (before.text in LARGE_COUNTS or before.text[:1].isdigit())
    asked = start > 1 and tokens[start - 2].text == "how"
    return tokens[start].text.endswith("s") and not counted and not asked


def ends_clause(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `busy all week`, not `open all year round`."""
    return closes(tokens, end) and not tokens[end - 1].text.endswith("s")


def told(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept a reading only where somebody tells what was."""
    return told_in_past(tokens, start)


def plural(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `recent weeks`, not `recent week`."""
    return tokens[end - 1].text.endswith("s")


def not_this_may(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Refuse `this may take`; other months, seasons and days are fine."""
    if tokens[end - 1].text not in {"may", "march", "spring", "fall"}:
        return True
    return month_alone(tokens, end - 1, end) and closes(tokens, end)


def not_an_age(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Refuse `in her late forties`."""
    decade = "DECADE" in tokens[end - 1].kinds
    return not (decade and start and tokens[start - 1].text in POSSESSIVES)


def ahead(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `in a week`, not the beginning of `in a week ago`."""
    return end >= len(tokens) or tokens[end].text not in {"ago", "back", "before", "earlier"}


def names_nothing(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `the week after next`, not the beginning of `two days after next Friday`."""
    return end >= len(tokens) or not tokens[end].kinds


def not_compared(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Refuse `most recently created` and `least-recently used`."""
    before = [token.text for token in tokens[max(0, start - 2) : start] if token.is_word]
    return not before or before[-1] not in {"most", "least", "more", "less"}


def closing(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `2016 and after`, not `2016 and after my work is done`."""
    return end >= len(tokens) or not tokens[end].is_word


def weekend_past(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `over the weekend`, not `have a nice weekend`."""
    return bool(start) and tokens[start - 1].text in {"over", "on", "at", "during", "since", "in"}
