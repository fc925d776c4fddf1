"""Decide from the words around a phrase whether it is a time, and whether past or future."""

from collections.abc import Sequence

from memory_graph.language.english.time.parser import Token, word_set

Tokens = Sequence[Token]
FUNCTION_WORDS = word_set("function_words")
"""Words that may follow a finished time phrase; a noun there makes it part of a name."""
COUNTED_NOUNS = word_set("counted_nouns")
"""After one of these a number was a quantity, not a year."""
EVENTS = word_set("events")
"""Things that happen once: `the Tuesday meeting` tells a day, `the Tuesday roast` does not."""
PAST_VERBS = word_set("past_verbs")
AHEAD_WORDS = word_set("ahead_words")
"""Words after which a statement speaks of what is to come: `is`, `will`, `planning`."""
UNMISTAKABLE_MONTHS = word_set("unmistakable_months")
"""The others are also names or verbs, and need a word before them: `in May`, `since March`."""
MISTAKABLE_WEEKDAYS = word_set("mistakable_weekdays")
TIME_PREPOSITIONS = word_set("time_prepositions")
DAY_PREPOSITIONS = TIME_PREPOSITIONS | {"for", "of"}
YEAR_PREPOSITIONS = word_set("year_prepositions")
TITLED = word_set("titled")
HABITS = word_set("habits")
POSSESSIVES = frozenset({"my", "your", "his", "her", "their", "our"})
SHARES = frozenset({"all", "most", "much", "half", "part", "rest", "whole", "course"})
INDEFINITE = frozenset({"a", "an", "some", "any", "given", "typical", "mr", "mrs", "ms"})
EXPLAINED = frozenset({"history", "origin", "origins", "meaning", "story", "tradition"})
HOLIDAY_WEEKDAYS = frozenset({"black", "cyber", "good", "easter", "palm", "ash"})
"""A reading of `Black Friday` is never that of a Friday."""
FULL_STOPS = frozenset({".", "!", "?"})
LEADING = frozenset({"the", "on", "in", "at"})
FRACTION_PREPOSITIONS = frozenset({"in", "at", "of", "over", "around", "within", "past", "mid"})
OLDEST_BARE_YEAR = "1800"
"""Smaller numbers are more often quantities."""
MONDAY, FRIDAY = 0, 4
HABIT_REACH = 6
CLAUSE_REACH = 30
"""Tokens looked at for the verb of a sentence."""


def _text(tokens: Tokens, index: int) -> str:
    return tokens[index].text if 0 <= index < len(tokens) else ""


def _kinds(tokens: Tokens, index: int) -> set[str]:
    return set(tokens[index].kinds) if 0 <= index < len(tokens) else set()


def _previous(tokens: Tokens, start: int) -> str:
    """Return the word before, skipping an article; empty at the beginning."""
    index = start - 1
    while _text(tokens, index) in {"the", "early", "late", "mid", "-"}:
        index -= 1
    return _text(tokens, index)


# — parts of the guards —


def closes(tokens: Tokens, end: int) -> bool:
    """Tell whether no noun follows that would make the reading part of a name."""
    if end >= len(tokens):
        return True
    following = tokens[end]
    if following.text == "-" and end + 1 < len(tokens):  # `the second-order method`
        word = tokens[end + 1]
        if following.end == word.start and word.is_word and not word.kinds:
            return False
    if not following.is_word or following.text in FUNCTION_WORDS:
        return True
    return bool(following.kinds.keys() & {"CLOCK", "DAYPART", "NUM"})


def alone(tokens: Tokens, start: int, end: int) -> bool:
    """Tell whether the message consists of nothing else: `Christmas`, `sat.`, `The 28th?`."""
    if any(token.is_word for token in tokens[end : end + CLAUSE_REACH]):
        return False
    return all(t.text in LEADING or not t.is_word for t in tokens[max(0, start - 9) : start])


def _of_an_event(tokens: Tokens, start: int, end: int) -> bool:
    """Accept `the Tuesday meeting`, `our March trip`, not `the Sunday roast`."""
    before = _text(tokens, start - 1)
    return (before in {"the", "that"} or before in POSSESSIVES) and _text(tokens, end) in EVENTS


def _has_hours(tokens: Tokens, end: int) -> bool:
    """Tell whether a time of day follows: `8/5 5pm`, `8/5 at 17:00`."""
    index = end + 1 if _text(tokens, end) in {"at", "@", ","} else end
    return "CLOCK" in _kinds(tokens, index)


def _sentence(tokens: Tokens, place: int) -> tuple[Tokens, Tokens]:
    """Return what comes before and after a place in its sentence, nearest tokens only."""
    before: list[Token] = []
    for token in reversed(tokens[max(0, place - CLAUSE_REACH) : place]):
        if token.text in FULL_STOPS:
            break
        before.append(token)
    after: list[Token] = []
    for token in tokens[place : place + CLAUSE_REACH]:
        if token.text in FULL_STOPS and after:
            break
        after.append(token)
    return before[::-1], after


def _is_past_verb(token: Token) -> bool:
    return token.text in PAST_VERBS or (token.text.endswith("ed") and len(token.text) > 4)


def told_in_past(tokens: Tokens, start: int, end: int = 0) -> bool:
    """Tell whether a verb of the sentence is in the past tense, as far as its form shows."""
    return any(_is_past_verb(token) for part in _sentence(tokens, start) for token in part)


# — guards on names —


def month_alone(tokens: Tokens, start: int, end: int) -> bool:
    """Accept `in May`, not `this may take`, `march on`, `February 30` or `32 August`."""
    following = _kinds(tokens, end)
    if following & {"NUM", "ORDINAL"} and "YEAR" not in following:
        return False
    if not no_impossible_day(tokens, start, end):
        return False
    if _of_an_event(tokens, start, end):
        return True
    name, word = tokens[start].text, _previous(tokens, start)
    if alone(tokens, start, end) and (len(name) > 3 or name == "may"):
        return True
    if name == "may" and word == "this":
        return not _text(tokens, end)[:1].isalnum()
    if word in TIME_PREPOSITIONS - {"on", "at"} or word in {"of", "month"}:
        return True
    return name in UNMISTAKABLE_MONTHS and closes(tokens, end)


def no_impossible_day(tokens: Tokens, start: int, end: int) -> bool:
    """Refuse the `April 2025` of `31 April 2025`, a day that does not exist."""
    if "MONTH" not in tokens[start].kinds or _is_day_number(tokens, start + 1):
        return True
    index = start - 2 if _text(tokens, start - 1) in {"of", "-", "/"} else start - 1
    return not _is_day_number(tokens, index)


def _is_day_number(tokens: Tokens, index: int) -> bool:
    kinds = _kinds(tokens, index)
    return bool(kinds & {"NUM", "ORDINAL"}) and "YEAR" not in kinds


def day_of_any_year(tokens: Tokens, start: int, end: int) -> bool:
    """Refuse the `29 February` of `29 February 2025`, and `12 March Street`."""
    if _text(tokens, end) in {"street", "road", "avenue", "lane"}:
        return False
    return "YEAR" not in _kinds(tokens, end + 1 if _text(tokens, end) == "," else end)


def not_this_may(tokens: Tokens, start: int, end: int) -> bool:
    """Refuse `this may take`; other months, seasons and days are fine."""
    if tokens[end - 1].text not in {"may", "march", "spring", "fall"}:
        return True
    return month_alone(tokens, end - 1, end) and closes(tokens, end)


def season_alone(tokens: Tokens, start: int, end: int) -> bool:
    """Accept `in the fall`, not `fall in love`, `summer dresses` or `is it cold in winter`."""
    if alone(tokens, start, end):
        return True
    if _text(tokens, start - 1) == "in" and not told_in_past(tokens, start):
        return False
    return _previous(tokens, start) in TIME_PREPOSITIONS and closes(tokens, end)


def holiday_alone(tokens: Tokens, start: int, end: int) -> bool:
    """Accept `on Easter` and `Memorial Day`, not `Christmas tree` or `what is Pi Day`."""
    if alone(tokens, start, end):
        return True
    before, first = _text(tokens, start - 1), _text(tokens, start - 2)
    explained = before in {"is", "a", "an"} or (before == "of" and first in EXPLAINED)
    if explained or not closes(tokens, end):
        return False
    named = tokens[end - 1].text in {"day", "eve"} or _has_hours(tokens, end)
    return named or _previous(tokens, start) in DAY_PREPOSITIONS


def quarter_of_a_year(tokens: Tokens, start: int, end: int) -> bool:
    """Accept `in the first quarter`, not `see Q2`."""
    return alone(tokens, start, end) or _previous(tokens, start) in TIME_PREPOSITIONS


def weekday_alone(tokens: Tokens, start: int, end: int) -> bool:
    """Accept `on Sunday` and `see you Sunday.`, not `the sun set` or `Sunday roast`."""
    name, before = tokens[start].text, _text(tokens, start - 1)
    if before in HOLIDAY_WEEKDAYS or before in INDEFINITE or "ORDINAL" in _kinds(tokens, start - 1):
        return False
    if alone(tokens, start, end) or _of_an_event(tokens, start, end):
        return True
    if name in MISTAKABLE_WEEKDAYS:
        beside = _kinds(tokens, start - 1) | _kinds(tokens, end)
        return before in TIME_PREPOSITIONS or bool(beside & {"DAYPART", "CLOCK"})
    if _proposed(tokens, start):
        return False
    if before in DAY_PREPOSITIONS or name.endswith("days"):
        return before != "for" or closes(tokens, end)
    if "DAYPART" in _kinds(tokens, end):
        return closes(tokens, end + 1) or _text(tokens, end + 1) in EVENTS
    return closes(tokens, end) and _text(tokens, end) not in {"is", "and", "as"} and before != "me"


def _proposed(tokens: Tokens, start: int) -> bool:
    """Tell `how about Wednesday?` and `is Thursday ok?` from days that are over."""
    before = [token.text for token in tokens[max(0, start - 2) : start]]
    return before in (["how", "about"], ["what", "about"], ["is"])


def working_week(tokens: Tokens, start: int, end: int) -> bool:
    """Accept that `I work Monday through Friday` is a habit, which names no one week."""
    days = tokens[start].kinds.get("WEEKDAY"), tokens[end - 1].kinds.get("WEEKDAY")
    named = alone(tokens, start, end) or _text(tokens, start - 1) in TIME_PREPOSITIONS
    return days == (MONDAY, FRIDAY) and not named


def weekend_past(tokens: Tokens, start: int, end: int) -> bool:
    """Accept `over the weekend`, not `have a nice weekend`."""
    return _text(tokens, start - 1) in {"over", "on", "at", "during", "since", "in"}


# — guards on numbers —


def year_alone(tokens: Tokens, start: int, end: int) -> bool:
    """Accept `in 2019`, `our 2024 trip`, `all of 2025`, not `room 2019` or `in 2000 words`."""
    before, following = _text(tokens, start - 1), _text(tokens, end)
    if before in {"from", "between"} and following in {"to", "and", "-"}:
        return False
    if alone(tokens, start, end):
        return "YEAR" not in tokens[start].kinds or "1900" <= tokens[start].text <= "2100"
    if _of_an_event(tokens, start, end) or (before == "of" and _text(tokens, start - 2) in SHARES):
        return True
    if before in {"in", "since"}:
        spoken = "YEAR" not in tokens[start].kinds
        return spoken or tokens[start].text >= OLDEST_BARE_YEAR or end == len(tokens)
    return before in YEAR_PREPOSITIONS and closes(tokens, end)


def decade_alone(tokens: Tokens, start: int, end: int) -> bool:
    """Accept `the 70s` and `1990s music`, not `in his 30s`."""
    if tokens[end - 1].text[:4].isdecimal() or tokens[start].text == "the":
        return True
    return _previous(tokens, start) in {"in", "of", "from", "since", "during", "until", "before"}


def day_number(tokens: Tokens, start: int, end: int) -> bool:
    """Accept `on the 27th`, not `the 27th parameter` or `the second option`."""
    spelled_out = tokens[end - 1].text.isalpha()
    if alone(tokens, start, end) and not spelled_out:
        return True
    if spelled_out and _text(tokens, end)[:1].isalnum():
        return False
    word = _previous(tokens, start)
    if word in {"between", "and", "to", "from", "until", "till", "through"}:
        return False
    return word in DAY_PREPOSITIONS - {"in", "at", "last", "past", "this"} and closes(tokens, end)


def bare_day_number(tokens: Tokens, start: int, end: int) -> bool:
    """Accept `on 25th`, not `on 2nd thoughts` or `on second`."""
    following = _text(tokens, end)
    return not (tokens[end - 1].text.isalpha() or following == "-" or following[:1].isalnum())


def looks_like_day(tokens: Tokens, start: int, end: int) -> bool:
    """Accept `on 3/4` and `back 4/22`, not `3/4 cup` or `24/7`."""
    text, before, following = tokens[start].text, _text(tokens, start - 1), _text(tokens, end)
    if following == "of" or text == "24/7":
        return False
    if _has_hours(tokens, end) or _of_an_event(tokens, start, end):
        return True
    goes_on = before in {"-", "to", "until", "through"} and "SLASHED" in _kinds(tokens, start - 2)
    if goes_on or "WEEKDAY" in _kinds(tokens, start - 1):
        return True
    if before in DAY_PREPOSITIONS - FRACTION_PREPOSITIONS:
        return True
    counted = following[:1].isalnum() and following not in {"at", "before", "after", "from"}
    return max(map(int, text.split("/"))) > 12 and not counted


def not_counted(tokens: Tokens, start: int, end: int) -> bool:
    """Refuse `from 1500 to 2000 calories`."""
    return _text(tokens, end) not in COUNTED_NOUNS


def not_in_a_code(tokens: Tokens, start: int, end: int) -> bool:
    """Refuse `138-2010-2015` and `pages 1451-1452`."""
    around = {_text(tokens, start - 1), _text(tokens, end)}
    plausible = tokens[start].text >= OLDEST_BARE_YEAR
    return plausible and not around & {"-", "+", "/"} and not_counted(tokens, start, end)


# — guards on units —


def not_a_measure(tokens: Tokens, start: int, end: int) -> bool:
    """Refuse `the day of the month`, `the twelve days of Christmas`: they name no one day."""
    unit = tokens[start + 1] if tokens[start].text == "the" else tokens[start]
    measure = "UNIT" in tokens[end - 1].kinds and tokens[end - 2].text in {"the", "of"}
    return not measure and not unit.text.endswith("s")


def not_last_day(tokens: Tokens, start: int, end: int) -> bool:
    """Refuse `my last day at work`."""
    return tokens[end - 1].text != "day"


def not_a_day(tokens: Tokens, start: int, end: int) -> bool:
    """Accept `the end of the week`, not `the end of the day`."""
    return tokens[end - 1].kinds.get("UNIT") in {"week", "month", "quarter", "year", "decade"}


def uncounted(tokens: Tokens, start: int, end: int) -> bool:
    """Accept `weeks ago`, not `week ago`, `how many weeks ago` or `a million years ago`."""
    before = _text(tokens, start - 1)
    counted = before in {"hundred", "thousand", "million", "billion"} or before[:1].isdigit()
    asked = _text(tokens, start - 2) == "how"
    return tokens[start].text.endswith("s") and not counted and not asked


def to_come(tokens: Tokens, start: int, end: int) -> bool:
    """Accept `in a week`, not the beginning of `in a week ago`."""
    return _text(tokens, end) not in {"ago", "back", "before", "earlier"}


def not_compared(tokens: Tokens, start: int, end: int) -> bool:
    """Refuse `most recently created` and `least-recently used`."""
    return _previous(tokens, start) not in {"most", "least", "more", "less"}


# — the sentence around a phrase —


def speaks_of(tokens: Tokens, start: int, end: int, statement: bool) -> bool:
    """Tell a time the sentence is about from a title or a habit; `due on Friday` is a statement."""
    before = [token.text for token in tokens[max(0, start - HABIT_REACH) : start] if token.is_word]
    habits = HABITS.intersection(before) - ({"due"} if statement else set())
    if habits and not told_in_past(tokens, start):
        return False
    if before[-2:] == ["when", "is"]:
        return False
    if before:
        return before[-1] not in TITLED and before not in (["play"], ["watch"], ["stream"])
    by = _text(tokens, end) == "by"
    return not by or any(token.kinds for token in tokens[end + 1 : end + 4])


def looks_ahead(tokens: Tokens, start: int) -> bool:
    """Tell whether a statement means the coming day by `on Friday`.

    The nearest verb before the phrase decides, then the first one after it; without a verb
    (`dentist on Friday`) the day is to come, as it is after `moved to` and `booked for`.
    """
    before, after = _sentence(tokens, start)
    if tokens[start].text in {"since", "ever"}:
        return False
    if tokens[start].text == "by" or _text(tokens, start - 1) in {"to", "for"}:
        return True
    nearest = [*reversed(before), *after]
    for index, token in enumerate(nearest):
        goes_on = 0 < index < len(before) and nearest[index - 1].text.endswith("ing")
        if token.text in AHEAD_WORDS or _is_contracted(token, goes_on=goes_on):
            return True
        auxiliary = nearest[index + 1].text if index + 1 < len(before) else ""
        passive = auxiliary.endswith("ing") or auxiliary in {"is", "are", "be", "get", "gets"}
        if _is_past_verb(token) and not passive:
            return False
    return True


def _is_contracted(token: Token, *, goes_on: bool) -> bool:
    """Tell `we're`, `I'll` and the `he's` of `he's coming` from `were`, `ill` and `his`."""
    ends = ("ll", "re", "m", "s") if goes_on else ("ll", "re", "m")
    return any(token.text.endswith(end) and token.text[: -len(end)] in token.keys for end in ends)
