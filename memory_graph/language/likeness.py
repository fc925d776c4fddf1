"""What two statements share and how they differ, as evidence that they are one fact."""

import re
from dataclasses import dataclass

from memory_graph.keys import normalise
from memory_graph.language.words import content_words, table, words
from memory_graph.once import once_a_turn

_TOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+(?:[.,:]\d+)*")
_LISTS = table("english/likeness")
_THIN, _NEGATIONS, _MONTHS, _DAYS = (
    frozenset(_LISTS[name].split()) for name in ("thin", "negations", "months", "days")
)
_NUMBER_WORDS: dict[str, str] = _LISTS["numbers"]


@dataclass(frozen=True)
class Gist:
    """What a statement is made of, once its grammar is taken away."""

    words: frozenset[str]
    """Telling words, singular and without accents; names and numbers are not among them."""

    names: frozenset[str]
    numbers: frozenset[str]
    dates: frozenset[str]
    negated: bool


@once_a_turn
def gist_of(statement: str) -> Gist:
    """Take a statement apart."""
    tokens = _TOKEN.findall(statement.replace("’", "'"))
    lowered = [token.casefold() for token in tokens]
    plain = {token: normalise(token) for token in tokens}
    folded = {token: _NUMBER_WORDS.get(word, word) for token, word in plain.items()}
    dates = {word for word in lowered if word in _MONTHS | _DAYS}
    dates |= {token for token in tokens if re.fullmatch(r"(?:19|20)\d\d", token)}
    numbers = {folded[token] for token in tokens if folded[token][:1].isdigit()} - dates
    capitals = [token for token in tokens[1:] if token[0].isupper()]
    names = {folded[token] for token in capitals if token.casefold() not in _THIN | {"user"}}
    names -= dates
    telling = {folded[token] for token in tokens if token.casefold() not in _THIN}
    return Gist(
        words=frozenset(word for word in telling - names - numbers - dates if len(word) > 1),
        names=frozenset(names),
        numbers=frozenset(numbers),
        dates=frozenset(dates),
        negated=any(word in _NEGATIONS for word in lowered),
    )


_NEGATING = frozenset({"not", "no", "never", "without", "cannot", "avoid", "stop"})


def overlap(one: str, other: str) -> float:
    """Return the share of their words that two texts have in common.

    A text and its negation have nothing in common, whatever words they share.
    """
    if one == other:
        return 1.0
    (ours, is_denied), (theirs, is_other_denied) = _meaning(one), _meaning(other)
    if is_denied != is_other_denied or not ours or not theirs:
        return 0.0
    return len(ours & theirs) / len(ours | theirs)


def is_negated(text: str) -> bool:
    """Return whether a text says that something is not, or is not to be done."""
    return any(map(_negates, words(text)))


@once_a_turn
def _meaning(text: str) -> tuple[frozenset[str], bool]:
    """Return what a text is compared by; each is compared with many others."""
    said = frozenset(word for word in content_words(text) if not _negates(word))
    return said, is_negated(text)


def _negates(word: str) -> bool:
    return word in _NEGATING or word.endswith("n't")
