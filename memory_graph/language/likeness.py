"""What two statements share and how they differ, as evidence that they are one fact."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from memory_graph.keys import PEOPLE, PETS, normalise
from memory_graph.language.words import content_words, table, words

_TOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+(?:[.,:]\d+)*")
_LISTS = table("english/likeness")
_THIN, _NEGATIONS, _MONTHS, _DAYS, _CIRCUMSTANCE = (
    frozenset(_LISTS[name].split())
    for name in ("thin", "negations", "months", "days", "circumstance")
)
_NUMBER_WORDS: dict[str, str] = _LISTS["numbers"]
_ONE_WORD: dict[str, str] = {
    word: group.split()[0] for group in _LISTS["one_word"] for word in group.split()
}
_ENDINGS = frozenset({"stop"})
_STATES = frozenset("is are was were now".split())
"""Verbs that give a thing its one value; of people more than one thing is true."""


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


def shares_name_or_number(one: str, other: str) -> bool:
    """Say whether two statements name the same somebody, something or number."""
    first, second = gist_of(one), gist_of(other)
    return bool(first.names & second.names or first.numbers & second.numbers)


_LIKENESS_NEGATIONS = frozenset({"not", "no", "never", "without", "cannot", "avoid", "stop"})


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


@lru_cache(maxsize=4096)
def _meaning(text: str) -> tuple[frozenset[str], bool]:
    """Return what a text is compared by; each is compared with many others."""
    said = frozenset(word for word in content_words(text) if not _negates(word))
    return said, is_negated(text)


def _negates(word: str) -> bool:
    return word in _LIKENESS_NEGATIONS or word.endswith("n't")


_POSSESSION = re.compile(
    r"^(?:The user|\w+)['’]s (?P<owned>.+?) "
    r"(?P<verb>is|are|was|were|has|have|had|will|does|did|no|not|never|now|can|[a-z]{2,}s)\b(?P<rest>.*)$"
)


@dataclass(frozen=True)
class _Claim:
    """A statement, taken apart into whom or what it is about and what it says of it."""

    owned: Gist
    """What of the user's it is about; empty for the user."""

    is_state: bool
    said: Gist
    verb: str | None


def is_same_fact(old: str, new: str) -> bool:
    """Say whether the new statement says the old one again, changes, refines or ends it.

    When in doubt it does not: a fact that is there twice does less harm than one that is lost.
    """
    first, second = _claim(old), _claim(new)
    if (first.owned.words, first.owned.names) != (second.owned.words, second.owned.names):
        return False
    if _are_apart(first.said.dates, second.said.dates):
        return False
    is_thing = first.owned.words and not first.owned.words & (PEOPLE | PETS)
    if is_thing and first.is_state and second.is_state:
        return True
    return _say_the_same(first, second)


def _say_the_same(first: _Claim, second: _Claim) -> bool:
    """Compare what is said of the same thing: one may say more, or take the other back."""
    one, other = _topic(first.said), _topic(second.said)
    if first.owned.words and one == other:
        return True
    ends = first.said.negated != second.said.negated or bool(_ENDINGS & (one ^ other))
    if not ends and first.verb != second.verb:
        return False
    one, other = one | first.said.names, other | second.said.names
    return bool(one and other) and not _are_apart(one - _ENDINGS, other - _ENDINGS)


def _claim(statement: str) -> _Claim:
    match = _POSSESSION.match(statement)
    if match is None:
        return _Claim(gist_of(""), False, gist_of(statement), _verb(statement))
    said = f"It {match['verb']}{match['rest']}"
    return _Claim(gist_of(f"The {match['owned']}"), match["verb"] in _STATES, gist_of(said), None)


def _verb(statement: str) -> str | None:
    """Return the first telling word after the subject."""
    for token in statement.split()[1:]:
        for word in gist_of(f"It {token}").words - _CIRCUMSTANCE:
            return _ONE_WORD.get(word, word)
    return None


def _topic(gist: Gist) -> frozenset[str]:
    return frozenset(_ONE_WORD.get(word, word) for word in gist.words) - _CIRCUMSTANCE


def _are_apart(one: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether each holds something that the other does not."""
    return bool(one - other and other - one)
