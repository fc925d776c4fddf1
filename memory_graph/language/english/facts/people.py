"""Find whom a clause is about, and the names that introduce people."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from memory_graph.language.english.facts import phrases
from memory_graph.language.english.facts.phrases import pattern
from memory_graph.language.english.facts.rules import USER, Subject, is_plural

_NOT_KEPT = frozenset("client person doctor teacher landlord parent baby fish".split())
"""Relations whose names are not read: too often a company, a title or a thing."""
_FEMALE = "sister mother daughter wife girlfriend aunt niece grandmother granddaughter".split()
_MALE = "brother father son husband boyfriend uncle nephew grandfather grandson".split()
_OTHER_GENDER = {
    **dict.fromkeys(_FEMALE, ("he", "his")),
    **dict.fromkeys(_MALE, ("she", "her")),
}
_INTRODUCTIONS = (
    "list_people",
    "called",
    "name_is",
    "being",
    "being_several",
    "is_mine",
    "named_ours",
)


@dataclass(frozen=True)
class Cast:
    """Who has been mentioned so far, by the name in small letters."""

    known: Mapping[str, Subject] = field(default_factory=dict)
    last: Subject | None = None

    def mention(self, *subjects: Subject) -> "Cast":
        """Return the cast after somebody was mentioned; the last one is who `she` is."""
        others = [subject for subject in subjects if subject != USER]
        if not others:
            return self
        known = {subject.entity.casefold(): subject for subject in others}
        return Cast({**self.known, **known}, others[-1])

    def without_pronoun(self) -> "Cast":
        """Return the cast when `she` may be anybody; a sister is still one, a friend is not."""
        sure = self.last is not None and self.last.kind in _OTHER_GENDER
        return self if sure else Cast(self.known)


@dataclass(frozen=True)
class Told:
    """A subject, and what a clause says of them or of something they have."""

    subject: Subject
    rest: str
    owned: bool = False
    pronoun: bool = False
    shared: bool = False
    """It was said of `we`, so that a job, an age or a taste is not surely the user's."""


def find_subject(text: str, cast: Cast, *, opens: bool) -> Told | None:
    """Read the subject at the start of a clause; None when it is nobody facts are kept about."""
    if opens and pattern("elliptic").match(text):
        rest = text[0].lower() + text[1:]
        return Told(USER, f"am {rest}" if pattern("elliptic_be").match(rest) else rest)
    if match := pattern("user").match(text):
        return Told(USER, match["rest"], shared=match["who"].casefold() == "we")
    if opens and re.match(r"name is \w", text, re.IGNORECASE):
        return Told(USER, text, owned=True)
    if match := pattern("related").match(text):
        return _related(match)
    if match := pattern("own").match(text):
        return Told(USER, match["rest"], owned=True)
    return _pronoun(text, cast) or _named(text, cast)


def relation(word: str, *, plural: bool = False) -> str:
    """Return the plain word for a relation: `mom` → `mother`, `kids` → `kid`."""
    word = word.casefold()
    word = phrases.SYNONYMS.get(word, word)
    return f"{word}s" if plural else word


_HAD_BY_ANOTHER = re.compile(r"\b(?:has|his|her|their)(?: [\w-]+){0,3} $", re.IGNORECASE)
"""Whose relative it is: `my friend Ann has a son called Tim`."""


def introduced(text: str, cast: Cast) -> tuple[Subject, ...]:
    """Return who is said to be called so: `my sister is called Anu`, `Luna is my cat`."""
    if (
        (match := pattern("pronoun_name").match(text))
        and cast.last
        and cast.last.entity == cast.last.kind
    ):
        return _people(cast.last.kind or "", phrases.name(match["names"]))
    if not pattern("owner").search(text) or re.match(r"you\b", text, re.IGNORECASE):
        return ()
    for way in _INTRODUCTIONS:
        found = tuple(
            person
            for match in pattern(way).finditer(text)
            if not _HAD_BY_ANOTHER.search(text[: match.start()])
            for person in _people(match["kind"], phrases.names(match["names"]))
        )
        if found:
            return found
    return ()


def mentioned(text: str) -> tuple[Subject, ...]:
    """Return everybody called `my <relation> <Name>`, wherever it is."""
    found = [person for match in pattern("mention").finditer(text) for person in _mention(match)]
    for match in pattern("mention_small").finditer(text):
        if match["name"] in phrases.words("first_names"):
            found.extend(_people(match["kind"], phrases.names(match["name"])))
    return tuple(found)


def referred(text: str) -> tuple[Subject, ...]:
    """Return whom `my <relation>` or `I got a cat` brings up, not by name."""
    found = pattern("relation_only").finditer(text)
    kinds = [relation(match["kind"], plural=bool(match["plural"])) for match in found]
    user = pattern("user").match(text)
    if user and (match := pattern("nameless").match(phrases.clean(user["rest"]))):
        kinds.append(relation(match["kind"]))
    return tuple(Subject(kind, kind) for kind in kinds)


def aged(text: str) -> Iterator[tuple[Subject, str]]:
    """Return ages told on the way: `my 5-year-old son Leo`."""
    for match in pattern("aged").finditer(text):
        kind = relation(match["kind"])
        named = match["name"] and phrases.is_name(match["name"])
        yield Subject(match["name"] if named else kind, kind), match["age"]


def gone(told: Told) -> Subject | None:
    """Return who has died or is lost: `my dad passed away`, `we lost our dog Rex`."""
    if told.subject != USER:
        sure = told.subject.kind and not told.pronoun and pattern("gone").match(told.rest)
        return told.subject if sure else None
    match = pattern("lost").match(told.rest)
    if match is None:
        return None
    kind = relation(match["kind"])
    return Subject(match["name"] or kind, kind)


def _related(match: re.Match[str]) -> Told | None:
    """Read `my sister …`, `my sister Eva …` or `my sister's …`."""
    kind = relation(match["kind"], plural=bool(match["plural"]))
    name, rest = match["name"], match["rest"]
    if name and not _is_named(name):
        if match["owns"]:
            return None
        return Told(Subject(kind, kind), f"{name} {rest}")
    subject = Subject(name[0].upper() + name[1:] if name else kind, kind)
    return Told(subject, rest.removeprefix("who "), owned=bool(match["owns"]))


def _is_named(name: str) -> bool:
    """Say whether the word after a relation is a name; in small letters, only a known one."""
    return phrases.is_name(name) and (name[0].isupper() or name in phrases.words("first_names"))


def _pronoun(text: str, cast: Cast) -> Told | None:
    word = text.split(" ")[0].casefold()
    if cast.last is None or word in _OTHER_GENDER.get(cast.last.kind or "", ()):
        return None
    if (
        match := pattern("they").match(text)
        if is_plural(cast.last)
        else pattern("pronoun").match(text)
    ):
        return Told(cast.last, match["rest"], pronoun=True)
    match = pattern("pronoun_own").match(text)
    return Told(cast.last, match["rest"], owned=True, pronoun=True) if match else None


def _named(text: str, cast: Cast) -> Told | None:
    match = pattern("named").match(text)
    if match is None:
        return None
    name, rest = match["name"], match["rest"]
    known = cast.known.get(name.casefold())
    if known is None and not (pattern("news").match(rest) and _is_named(name)):
        return None
    return Told(known or Subject(name[0].upper() + name[1:]), rest, owned=bool(match["owns"]))


def _mention(match: re.Match[str]) -> tuple[Subject, ...]:
    names = phrases.names(match["names"])
    if len(names) > 1 and not match["plural"] and not match["kind"].casefold().endswith("children"):
        names = names[:1] if not match["comma"] else ()
    return _people(match["kind"], names)


def _people(kind: str, names: tuple[str, ...]) -> tuple[Subject, ...]:
    kind = relation(kind)
    return () if kind in _NOT_KEPT else tuple(Subject(name, kind) for name in names)
