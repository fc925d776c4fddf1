"""Check that a statement is the user's own: no quotation, no order, nothing invented."""

import re
from collections.abc import Sequence

from memory_graph.keys import normalise
from memory_graph.once import once_a_turn
from memory_graph.records import FactCandidate
from memory_graph.safety import patterns_of, words_of
from memory_graph.safety.pasted import others_words

_PATTERNS = patterns_of("own_voice")
_RIGHTS = ("override", "permission", "authority")
_ORDERS = tuple(_PATTERNS[name] for name in ("order", *_RIGHTS, "markup"))
_TAKEOVERS = tuple(_PATTERNS[name] for name in ("promotes", *_RIGHTS))


@once_a_turn
def is_instruction(statement: str) -> bool:
    """Say whether a statement gives orders to an agent that reads it."""
    if any(order.search(statement) for order in _ORDERS):
        return True
    has_address = _PATTERNS["address"].search(statement)
    return bool(has_address and _PATTERNS["addressed"].search(statement))


def is_takeover(text: str) -> bool:
    """Say whether a text tries to take an agent over, as no advice and no pattern does."""
    return any(order.search(text) for order in _TAKEOVERS)


def oversteps(wish: str) -> bool:
    """Say whether a wish on how the agent works asks for rights, secrecy, acts or others' data."""
    forbidden = ("permission", "authority", "markup", "overstep")
    return any(_PATTERNS[name].search(wish) for name in forbidden) or bool(
        _PATTERNS["address"].search(wish)
    )


@once_a_turn
def own_voice(message: str) -> str:
    """Return a message without quotations, forwarded text and the words of others."""
    own, end = "", 0
    for start, stop in others_words(message):
        before = message[end:start]
        own += before[:-1] if before.endswith("\n") else f"{before} "
        end = stop
    return f"{own}{message[end:]}".replace("’", "'").strip()


_STEM = 4
_LEAST_WORDS = 2
_SEPARATORS = re.compile(r"(?:['’]s\b)|[^\w+#]+|(?<=\d)(?=[a-z])")
_GENERIC, _ANSWERS, _CALENDAR = (
    frozenset(words) for words in map(words_of, ("generic", "answers", "calendar"))
)
"""What says nothing; what a value may be that nobody has to say; and names that a model derives
from words such as `tomorrow`."""
_NUMBERS = {word: str(number) for number, word in enumerate(words_of("numbers"))}


def is_grounded(candidate: FactCandidate, texts: Sequence[str]) -> bool:
    """Say whether the last of the user's `texts` states what a candidate says.

    Whom it is about may have been named earlier. The last text must hold a word of the value, or
    else two words of the statement, and nobody may be named whom the user did not name.
    """
    last, heard = _words(texts[-1]), _words(" ".join(texts))
    entity = _words(candidate.entity)
    is_named = normalise(candidate.entity) not in {"user", normalise(candidate.entity_kind or "")}
    if is_named and not entity <= heard:
        return False
    stated = candidate.value or ""
    if stated.casefold() in _ANSWERS:
        stated = ""
    if not stated.isascii() and stated.casefold() in texts[-1].casefold():
        return True  # a text that is not written with spaces between words
    names = _names_in(f"{candidate.statement.partition(' ')[2]} {candidate.value or ''}")
    if len(names - heard) > len(names & heard):  # a country added to a city does no harm
        return False
    value = _words(stated)
    if value & last or _names_in(stated):
        return bool(value & last)
    statement = {word for word in _words(candidate.statement) if not word.isdigit()} - entity
    least = min(len(statement), _LEAST_WORDS if value else 1)
    return len(statement & last) >= max(least, 1)


def _names_in(text: str) -> frozenset[str]:
    words = (word for word in _SEPARATORS.split(text) if word[:1].isupper())
    return _words(" ".join(word for word in words if word.casefold() not in _CALENDAR))


def _words(text: str) -> frozenset[str]:
    """Return the content words of a text, cut to their beginnings: `moving` equals `moved`."""
    return frozenset(
        _folded(word)
        for word in _SEPARATORS.split(text)
        if (len(word) > 2 or word.isdigit() or word[:1].isupper())
        and word.casefold() not in _GENERIC
    )


def _folded(word: str) -> str:
    if word.isdigit():
        return word.lstrip("0") or "0"
    folded = normalise(word)
    return _NUMBERS.get(folded, folded[:_STEM])
