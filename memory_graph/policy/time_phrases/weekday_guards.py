"""Is the name of a weekday a day that is over, or a habit, a proposal or part of a name?"""

from collections.abc import Sequence

from memory_graph.policy.time_phrases.guards import DAY_PREPOSITIONS, TIME_PREPOSITIONS
from memory_graph.policy.time_phrases.holidays import HOLIDAYS
from memory_graph.policy.time_phrases.lexicon import MISTAKABLE_WEEKDAYS, WEEKDAYS
from memory_graph.policy.time_phrases.surroundings import alone, closes, happens, of_an_event
from memory_graph.policy.time_phrases.tokens import Token

MONDAY, FRIDAY = 0, 4
INDEFINITE = frozenset({"a", "an", "some", "any", "given", "typical", "mr", "mrs", "ms"})
HOLIDAY_WEEKDAYS = frozenset(
    tuple(name.split()) for name in HOLIDAYS if name.split()[-1] in WEEKDAYS
)
"""A reading of `Black Friday` is never that of a Friday."""


def weekday_alone(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `on Sunday` and `see you Sunday.`, not `the sun set` or `Sunday roast`."""
    before = tokens[start - 1].text if start else ""
    if (before, tokens[start].text) in HOLIDAY_WEEKDAYS:
        return False
    if before in INDEFINITE or (start and "ORDINAL" in tokens[start - 1].kinds):
        return False
    if alone(tokens, start, end) or of_an_event(tokens, start, end):
        return True
    if tokens[start].text in MISTAKABLE_WEEKDAYS:
        return before in TIME_PREPOSITIONS or _beside_hours(tokens, start, end)
    if _proposed(tokens, start):
        return False
    if before in DAY_PREPOSITIONS or tokens[start].text.endswith("days"):
        return before != "for" or closes(tokens, end)
    following = tokens[end].text if end < len(tokens) else ""
    if end < len(tokens) and "DAYPART" in tokens[end].kinds:
        return closes(tokens, end + 1) or happens(tokens, end + 1)
    return closes(tokens, end) and following not in {"is", "and", "as"} and before != "me"


def _proposed(tokens: Sequence[Token], start: int) -> bool:
    """Tell `how about Wednesday?` and `is Thursday ok?` from days that are over."""
    before = [token.text for token in tokens[max(0, start - 2) : start]]
    return before in (["how", "about"], ["what", "about"], ["is"])


def _beside_hours(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Tell whether a time of day stands before or after: `sat 4:00`, `5pm mon`, `sun night`."""
    beside = [tokens[i].kinds.keys() for i in (start - 1, end) if 0 <= i < len(tokens)]
    return any(kinds & {"DAYPART", "CLOCK"} for kinds in beside)


def unmistakable_weekdays(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `Monday and Tuesday`, not `sat and sun`."""
    ends = tokens[start], tokens[end - 1]
    return not any(token.text in MISTAKABLE_WEEKDAYS for token in ends) and closes(tokens, end)


def working_week(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept that `I work Monday through Friday` is a habit, which names no past days."""
    first, last = tokens[start].kinds.get("WEEKDAY"), tokens[end - 1].kinds.get("WEEKDAY")
    return (first, last) == (MONDAY, FRIDAY) and compared_seasons(tokens, start, end)


def compared_seasons(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept that `I prefer summer to winter` spans nothing, unlike `from summer to winter`."""
    before = tokens[start - 1].text if start else ""
    return not alone(tokens, start, end) and before not in TIME_PREPOSITIONS
