"""Whom is a clause about: the user, somebody of theirs, or a name mentioned before?"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from memory_graph.policy.attributes import PEOPLE, PETS

Form = Literal["predicate", "possession"]

_SYNONYMS: Mapping[str, str] = {
    "mom": "mother",
    "mum": "mother",
    "mommy": "mother",
    "dad": "father",
    "daddy": "father",
    "grandma": "grandmother",
    "granny": "grandmother",
    "grandpa": "grandfather",
    "neighbor": "neighbour",
    "kitten": "cat",
    "kitty": "cat",
    "puppy": "dog",
    "pup": "dog",
    "bunny": "rabbit",
    "fiancé": "fiance",
    "fiancée": "fiance",
    "fiancee": "fiance",
    "co-worker": "colleague",
    "coworker": "colleague",
    "buddy": "friend",
    "baby girl": "daughter",
    "baby boy": "son",
    "gf": "girlfriend",
    "bf": "boyfriend",
}
_RELATION_WORDS = "|".join(sorted(PEOPLE | PETS | {*_SYNONYMS}, key=len, reverse=True))
RELATIONS = rf"(?:ex-)?(?:{_RELATION_WORDS})(?:-in-law)?"
_MODIFIER = (
    r"(?:older|elder|younger|little|big|best|twin|other|new|old|dear|good|close|late|first|second)"
)
_VERBS = (
    "is|was|are|has|had|lives|works|turned|turns|moved|loves|likes|hates|speaks|prefers|drives|"
    "uses|plays|left|got|died|passed|does|just|now|recently|also|really|still"
)
_NOT_A_NAME = frozenset(_VERBS.split("|")) | frozenset(
    {"and", "who", "in", "on", "at", "with", "from", "never", "always", "usually", "often"}
    | {"currently", "actually", "only", "finally", "already", "sometimes", "probably", "that"}
)
_COMPOUNDS = frozenset({"tongue", "food", "base", "figure", "company", "project", "team", "care"})
"""Nouns that follow a relation without being its name: `mother tongue`, `client base`."""

NAME = r"[A-ZÀ-Þ][\w'’-]*?(?: [A-ZÀ-Þ][\w-]+)?"

_THE_ONES = "|".join(sorted(PETS | {"baby"}))

_USER = re.compile(r"^(?:I|we)\s+(?P<rest>.+)", re.IGNORECASE)
_RELATED = re.compile(
    rf"^(?:(?i:my|our)\s+(?:{_MODIFIER}\s+)*|[Tt]he (?={_THE_ONES}))(?P<kind>(?i:{RELATIONS}))"
    r"(?P<plural>s)?\b(?!-)"
    rf"(?:,?\s+(?P<name>{NAME}|"
    rf"[a-z]+(?=(?:'s)?\s+(?:{_VERBS})\b))\b,?)?(?P<owns>'s)?\s+(?P<rest>.+)"
)
_OWN = re.compile(r"^(?:my|our)\s+(?P<rest>.+)", re.IGNORECASE)
_PRONOUN = re.compile(r"^(?:she|he)\s+(?P<rest>.+)", re.IGNORECASE)
_PRONOUN_OWN = re.compile(r"^(?:her|his)\s+(?P<rest>.+)", re.IGNORECASE)
_NAMED = re.compile(rf"^(?P<name>{NAME})(?P<owns>'s)?\s+(?P<rest>[a-z].*)")
_COLLECTIVE = re.compile(
    r"^(?:my|our) (?:team|company|startup|office) (?P<rest>uses? .+)", re.IGNORECASE
)
_ELLIPTIC = re.compile(
    r"^(?:not an? (?:big |huge )?fan of|turned \d|got (?:promoted|married|engaged|divorced)|"
    r"moved to [A-Z]|can not stand|became an? )"
)
_THEY = re.compile(r"^they\s+(?P<rest>.+)", re.IGNORECASE)
_MENTION = re.compile(
    rf"\b(?i:my|our)\s+(?:{_MODIFIER}\s+)*(?P<kind>(?i:{RELATIONS}))\b(?!-|"
    rf"'s)(?:,?\s+(?P<name>{NAME})\b)?"
)
_SURE_NEWS = re.compile(
    r"^(?:just |recently |now |also )*(?:(?:turned|turns) \d|is \d{1,2} (?:now|years old)|"
    r"(?:had|celebrated) (?:her|his) \d|lives in |moved (?:from \w+ )?to |works (?:at|for|as) )"
)
_NEVER_NAMES = re.compile(
    r"(?:The|It|This|That|There|These|Those|You|They|What|Who|Everyone|Someone|Nobody|People)"
)


@dataclass(frozen=True)
class Subject:
    """Somebody or something facts are about."""

    entity: str
    kind: str | None = None


USER = Subject("user")


@dataclass(frozen=True)
class Cast:
    """Who has been mentioned so far."""

    kinds: Mapping[str, str | None] = field(default_factory=dict)
    last: Subject | None = None

    def mention(self, *subjects: Subject) -> "Cast":
        """Return the cast after somebody was mentioned; the last one is who `she` is."""
        others = [subject for subject in subjects if subject != USER]
        if not others:
            return self
        kinds = {subject.entity: subject.kind for subject in others}
        return Cast({**self.kinds, **kinds}, others[-1])


@dataclass(frozen=True)
class Told:
    """A subject, and what a clause says of them or of something they have."""

    subject: Subject
    form: Form
    rest: str


def find_subject(clause: str, cast: Cast) -> Told | None:
    """Read the subject at the start of a clause; None when it is nobody we keep facts about."""
    return _first_person(clause) or _pronoun(clause, cast) or _named(clause, cast)


def is_plural(subject: Subject) -> bool:
    """Say whether a subject is several people: `parents`."""
    kind = subject.kind or ""
    return kind.endswith("s") and kind.removesuffix("s") in PEOPLE | PETS


def mentions(clause: str) -> tuple[Subject, ...]:
    """Return everybody called `my <relation>` or `my <relation> <Name>`, wherever it is."""
    found = ((match["name"], relation(match["kind"])) for match in _MENTION.finditer(clause))
    return tuple(Subject(name or kind, kind) for name, kind in found)


def relation(word: str) -> str:
    """Return the plain word for a relation: `mom` → `mother`."""
    word = word.casefold()
    return _SYNONYMS.get(word, word)


def _first_person(clause: str) -> Told | None:
    if elliptic := _elliptic(clause):
        return elliptic
    if match := _USER.match(clause):
        return Told(USER, "predicate", match["rest"])
    if (match := _RELATED.match(clause)) and match["name"] not in _COMPOUNDS:
        return _related(match)
    if match := _COLLECTIVE.match(clause):
        return Told(USER, "predicate", match["rest"])
    if match := _OWN.match(clause):
        return Told(USER, "possession", match["rest"])
    return None


def _elliptic(clause: str) -> Told | None:
    """Read a clause that leaves out its `I`: `not a fan of olives`, `turned 32 today`."""
    rest = clause[0].lower() + clause[1:]
    if not _ELLIPTIC.match(rest):
        return None
    return Told(USER, "predicate", f"am {rest}" if rest.startswith("not ") else rest)


def _related(match: re.Match[str]) -> Told:
    """Read `my sister …`, `my sister Eva …` or `my sister's …`."""
    kind = relation(match["kind"]) + (match["plural"] or "")
    name = match["name"]
    if name and name.casefold() in _NOT_A_NAME:
        return Told(Subject(kind, kind), "predicate", f"{name} {match['rest']}")
    subject = Subject(name[0].upper() + name[1:] if name else kind, kind)
    rest = match["rest"].removeprefix("who ")
    return Told(subject, "possession" if match["owns"] else "predicate", rest)


def _pronoun(clause: str, cast: Cast) -> Told | None:
    if cast.last is None:
        return None
    if match := _THEY.match(clause) if is_plural(cast.last) else _PRONOUN.match(clause):
        return Told(cast.last, "predicate", match["rest"])
    if match := _PRONOUN_OWN.match(clause):
        return Told(cast.last, "possession", match["rest"])
    return None


def _named(clause: str, cast: Cast) -> Told | None:
    match = _NAMED.match(clause)
    if match is None or _NEVER_NAMES.fullmatch(match["name"]):
        return None
    name = match["name"]
    if name not in cast.kinds and not _SURE_NEWS.match(match["rest"]):
        return None
    form: Form = "possession" if match["owns"] else "predicate"
    return Told(Subject(name, cast.kinds.get(name)), form, match["rest"])
