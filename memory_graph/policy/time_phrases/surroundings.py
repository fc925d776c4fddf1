"""What do the words beside a reading say: is it at its end, alone, part of a name?"""

from collections.abc import Sequence

from memory_graph.policy.time_phrases.lexicon import words
from memory_graph.policy.time_phrases.tokens import Token

POSSESSIVES = frozenset({"my", "your", "his", "her", "their", "our"})

FUNCTION_WORDS = frozenset(
    words(
        "a about actually after again against all almost already also although always am an and "
        "any are arent around as at be because been before between but by can couldnt could did "
        "didnt do does doesnt dont during each early either even ever except finally first for "
        "from had has hasnt have havent he her here hers him his how however i if im in instead "
        "into is isnt it its ive just late later like may maybe me might must my never no nor not "
        "now of off ok on only or our out over perhaps please pm possibly probably really right "
        "she should since so sometime somewhere still than thats that the their them then there "
        "these they theyre this those though through till to together too toward towards under "
        "until unless us via was wasnt we well went were werent what whats when where whether "
        "which while who whose why will with without wont would yet you your youre"
    )
)
"""Words that may follow a finished time phrase; a noun there makes it part of a name."""

COUNTED_NOUNS = frozenset(
    words(
        "% boxes calories characters copies customers days dollars euros files hours items kg "
        "km lines meters metres miles minutes months pages people percent pieces players "
        "points pounds rows seconds steps students tests tokens units users votes weeks words "
        "years"
    )
)
"""After one of these a number was a quantity, not a year."""

EVENTS = frozenset(
    words(
        "appointment appointments breakfast call calls chat class conversation date dinner "
        "discussion email emails event events flight game gig interview lecture lesson letter "
        "lunch match meal meeting meetings message messages note notes party practice "
        "presentation report review run session sessions standup talk trip update visit walk "
        "webinar workout workshop"
    )
)
"""Things that happen once: `the Tuesday meeting` tells a day, `the Tuesday roast` does not."""

PAST_VERBS = frozenset(
    words(
        "ate been began bought built came did didnt drove fell felt flew found gave got grew had "
        "heard held kept knew left lost made met moved paid read ran said sat saw sent slept sold "
        "spent spoke started stayed stood swam talked taught thought told took was wasnt went "
        "were werent won wore wrote"
    )
)
FULL_STOPS = frozenset({".", "!", "?"})
LEADING = frozenset({"the", "on", "in", "at"})


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
    if in_a_compound(tokens, end):
        return False
    following = tokens[end]
    return (
        not following.is_word
        or following.text in FUNCTION_WORDS
        or bool(following.kinds.keys() & {"CLOCK", "DAYPART", "NUM"})
    )


def told_in_past(tokens: Sequence[Token], place: int) -> bool:
    """Tell whether a verb of the sentence is in the past tense, as far as its form shows."""
    first = next((i + 1 for i in range(place - 1, -1, -1) if tokens[i].text in FULL_STOPS), 0)
    for token in tokens[first:]:
        if token.text in FULL_STOPS and token.start > tokens[place].start:
            return False
        if token.text in PAST_VERBS or (token.text.endswith("ed") and len(token.text) > 4):
            return True
    return False


def in_a_compound(tokens: Sequence[Token], end: int) -> bool:
    """Tell that a hyphen and a word are glued on: `the second-order method`."""
    if end + 1 >= len(tokens) or tokens[end].text != "-":
        return False
    hyphen, word = tokens[end], tokens[end + 1]
    glued = tokens[end - 1].end == hyphen.start and hyphen.end == word.start
    return glued and word.is_word and not word.kinds


def alone(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Tell whether the message consists of nothing else: `Christmas`, `sat.`, `The 28th?`."""
    before = {token.text for token in tokens[:start] if token.is_word}
    return before <= LEADING and not any(token.is_word for token in tokens[end:])


def of_an_event(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Accept `the Tuesday meeting`, `our March trip`, not `the Sunday roast`."""
    before = tokens[start - 1].text if start else ""
    named = before in {"the", "that"} or before in POSSESSIVES
    return named and happens(tokens, end)


def happens(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether something that happens once comes next: `Saturday night dinner`."""
    return index < len(tokens) and tokens[index].text in EVENTS


def follows_of(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Tell whether `of` comes next."""
    return end < len(tokens) and tokens[end].text == "of"


def has_hours(tokens: Sequence[Token], end: int) -> bool:
    """Tell whether a time of day follows: `8/5 5pm`, `8/5 at 17:00`."""
    index = end + 1 if end < len(tokens) and tokens[end].text in {"at", "@", ","} else end
    return index < len(tokens) and "CLOCK" in tokens[index].kinds
