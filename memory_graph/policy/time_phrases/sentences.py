"""Does the sentence around a time phrase speak of that time, or of a title, a habit, a rule?"""

from collections.abc import Sequence

from memory_graph.policy.time_phrases.lexicon import words
from memory_graph.policy.time_phrases.surroundings import told_in_past
from memory_graph.policy.time_phrases.tokens import Token

TITLED = frozenset(
    words(
        "song songs album band titled entitled named word words term translate define spell "
        "pronounce meaning"
    )
)
PERSONS = frozenset(words("i im ive me my we our us you your"))
PLAYED = frozenset({"play", "watch", "stream"})
HABITS = frozenset(words("usually always normally typically generally mostly due"))
HABIT_REACH = 6


def speaks_of(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Tell whether `tokens[start:end]` is a time the sentence is about."""
    if names_a_work(tokens, start, end) or asked_for(tokens, start):
        return False
    return not habitual(tokens, start) and not asked_in_general(tokens, start, end)


def names_a_work(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Tell `the song Yesterday`, `watch Wednesday` and `Last Christmas by Wham` from times."""
    before = [token.text for token in tokens[:start] if token.is_word]
    if before:
        return before[-1] in TITLED or (len(before) == 1 and before[0] in PLAYED)
    by = end < len(tokens) and tokens[end].text == "by"
    return by and not any(token.kinds for token in tokens[end + 1 : end + 4])


def habitual(tokens: Sequence[Token], start: int) -> bool:
    """Tell `we usually ski in January` and `rent is due on the 1st` from one January or 1st."""
    before = {token.text for token in tokens[max(0, start - HABIT_REACH) : start]}
    return not before.isdisjoint(HABITS) and not told_in_past(tokens, start)


def asked_in_general(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Tell `does it snow in April`, about every April, from a question about oneself."""
    named = end - start == 1 and tokens[start].kinds.keys() & {"MONTH", "SEASON"}
    said = {token.text for token in tokens}
    return bool(named) and "does" in said and said.isdisjoint(PERSONS)


def asked_for(tokens: Sequence[Token], start: int) -> bool:
    """Tell that a day is asked for, not remembered: `when is the first day of summer`."""
    return [token.text for token in tokens[max(0, start - 2) : start]] == ["when", "is"]
