"""What do two statements share, and in what do they differ, that bears on being one fact?"""

import re
from dataclasses import dataclass
from functools import cache

from memory_graph.policy.keys import normalise

_TOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+(?:[.,:]\d+)*")
_THIN = frozenset(
    "the a an is are was were be been being has have had do does did s t user of in at to and or "
    "for with from their his her its my your our they them he she it i we on by as that this "
    "these those there which who what when where while about into over under again also too just "
    "now currently recently lately today still already ever really very quite actually so than "
    "then any more anymore longer no not never don doesn isn aren wasn won".split()
)
_NEGATIONS = frozenset("no not never don't doesn't isn't aren't won't can't cannot without".split())
_MONTHS = frozenset(
    "january february march april may june july august september october november december".split()
)
_DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
_NUMBER_WORDS = {"noon": "12:00", "midnight": "0:00"} | {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}


@dataclass(frozen=True)
class Gist:
    """What a statement is made of, once its grammar is taken away."""

    words: frozenset[str]
    """Telling words, singular and without accents; names and numbers are not among them."""

    names: frozenset[str]
    numbers: frozenset[str]
    dates: frozenset[str]
    negated: bool


@cache
def gist_of(statement: str) -> Gist:
    """Take a statement apart."""
    tokens = _TOKEN.findall(statement.replace("’", "'"))
    lowered = [token.casefold() for token in tokens]
    folded = {token: _folded(token) for token in tokens}
    dates = {word for word in lowered if word in _MONTHS | _DAYS}
    dates |= {token for token in tokens if re.fullmatch(r"(?:19|20)\d\d", token)}
    numbers = {folded[token] for token in tokens if folded[token][:1].isdigit()} - dates
    names = {folded[token] for token in tokens[1:] if _is_name(token)} - dates
    plain = {folded[token] for token in tokens if token.casefold() not in _THIN}
    return Gist(
        words=frozenset(word for word in plain - names - numbers - dates if len(word) > 1),
        names=frozenset(names),
        numbers=frozenset(numbers),
        dates=frozenset(dates),
        negated=any(word in _NEGATIONS for word in lowered),
    )


def shares_name_or_number(one: str, other: str) -> bool:
    """Say whether two statements name the same somebody, something or number."""
    first, second = gist_of(one), gist_of(other)
    return bool(first.names & second.names or first.numbers & second.numbers)


def _is_name(token: str) -> bool:
    return token[0].isupper() and token.casefold() not in _THIN | {"user"}


def _folded(token: str) -> str:
    word = normalise(token)
    return _NUMBER_WORDS.get(word, word)
