"""Are two statements one fact? Answered by what they share and differ in, without a model."""

import re
from dataclasses import dataclass

from memory_graph.policy.attributes import PEOPLE, PETS
from memory_graph.policy.resemblance import Gist, gist_of

_POSSESSION = re.compile(
    r"^(?:The user|\w+)['’]s (?P<owned>.+?) "
    r"(?P<verb>is|are|was|were|has|have|had|will|does|did|no|not|never|now|can|[a-z]{2,}s)\b(?P<rest>.*)$"
)
_STATES = frozenset("is are was were now".split())
"""Verbs that give a thing its one value; of people more than one thing is true."""

_ONE_WORD = {
    word: group[0]
    for group in (
        "like love enjoy adore hate dislike detest stand mind".split(),
        "live reside move moved relocate relocated based".split(),
        "learn learning study studying".split(),
        "stop stopped quit ended finished".split(),
    )
    for word in group
}
_ENDINGS = frozenset({"stop"})
_CIRCUMSTANCE = frozenset("user instead friend every mostly about".split())


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
