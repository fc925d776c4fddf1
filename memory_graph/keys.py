"""The key of a fact: whom and what it is about, so that an update finds the older value."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from memory_graph.records import FactCandidate, FactCategory


def stable_id(*parts: str) -> str:
    """Return the same id for the same parts, so that a retry writes nothing twice."""
    digest = sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(4, "big") + raw)
    return digest.hexdigest()[:32]


Arity = Literal["single", "multi", "path"]
"""`single`: one value at a time. `multi`: one fact per value. `path`: one fact per
sub-attribute."""


@dataclass(frozen=True)
class Attribute:
    """How facts about one attribute are filed."""

    category: FactCategory
    arity: Arity
    importance: int


def _table(
    category: FactCategory, arity: Arity, importance: int, names: str
) -> dict[str, Attribute]:
    return {name: Attribute(category, arity, importance) for name in names.split()}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ATTRIBUTES: Mapping[str, Attribute] = {
    **_table(
        "profile", "single", 5, "name surname nickname pronoun age birthday nationality gender"
    ),
    **_table("profile", "single", 4, "city country hometown address timezone native-language"),
    **_table("profile", "single", 4, "relationship-status children breed species email pregnant"),
    **_table("profile", "single", 3, "car phone computer os handedness height weight"),
    **_table("profile", "multi", 4, "language"),
    **_table("profile", "multi", 2, "hobby"),
    **_table("profile", "path", 4, "has"),
    **_table("profile", "path", 2, "spec"),
    **_table("work", "single", 4, "job employer study school team"),
    **_table("work", "multi", 3, "programming-language tool"),
    **_table("health", "single", 5, "diet blood-type smoke"),
    **_table("health", "multi", 5, "allergy intolerance condition medication"),
    **_table("health", "path", 4, "eat drink"),
    **_table(
        "preference", "single", 3, "theme unit answer-style answer-language seat editor clock"
    ),
    **_table("preference", "path", 3, "taste favourite choice"),
    **_table("goal", "multi", 3, "goal"),
    **_table("goal", "path", 4, "event"),
}
"""Keyed by the normalised attribute name (see `keys.normalise`)."""

ALIASES: Mapping[str, str] = {
    "location": "city",
    "residence": "city",
    "live-in": "city",
    "home": "city",
    "identity": "name",
    "work": "job",
    "employment": "job",
    "occupation": "job",
    "profession": "job",
    "role": "job",
    "job-title": "job",
    "company": "employer",
    "workplace": "employer",
    "time-zone": "timezone",
    "home-town": "hometown",
    "mother-tongue": "native-language",
    "marital-statu": "relationship-status",
    "relationship": "relationship-status",
    "preferred-name": "nickname",
    "spoken-language": "language",
    "university": "school",
    "field-of-study": "study",
    "medical-condition": "condition",
    "operating-system": "os",
    "laptop": "computer",
    "vehicle": "car",
    "interest": "hobby",
    "favorite": "favourite",
    "specification": "spec",
    "favourite:editor": "editor",
    "favourite:theme": "theme",
}
"""Other names of the same attribute, as models and people write them."""

TASTES: Mapping[str, str] = {
    "like": "like",
    "love": "like",
    "enjoy": "like",
    "preference": "like",
    "dislike": "dislike",
    "hate": "dislike",
}
"""Attributes that name a taste in their verb: `likes=olives` is filed as `taste:olives=like`."""

ONE_OFF_EVENTS = frozenset({"wedding", "graduation", "due-date", "retirement", "thesis-defence"})
"""Events one has once, so that a new date moves them; others on another day are other events."""

PETS = _words(
    """
    pet cat kitten dog puppy parrot hamster rabbit bunny horse pony bird budgie canary fish
    goldfish turtle tortoise snake lizard gecko ferret rat mouse chinchilla cockatiel hedgehog
    """
)

PEOPLE = _words(
    """
    person sister brother mother father son daughter wife husband partner girlfriend boyfriend
    fiance spouse friend colleague coworker boss manager neighbour roommate flatmate uncle aunt
    cousin nephew niece grandmother grandfather grandson granddaughter mentor teacher doctor kid
    child baby twin stepson stepdaughter stepmother stepfather landlord teammate client parent
    """
)

MAX_SEGMENT = 80
_ARTICLES = frozenset({"a", "an", "the"})
_SPELLINGS = {"favorite": "favourite", "color": "colour", "neighbor": "neighbour"}
_SEPARATORS = re.compile(r"[^\w+#]+|_+")
_POSSESSIVE = re.compile(r"['’]s?(?=\W|$)")


def normalise(text: str) -> str:
    """Fold case, accents, plurals, possessives and spelling: `Luna's Olives` → `luna-olive`."""
    folded = _POSSESSIVE.sub("", _strip_accents(text))
    words = [_singular(word[:MAX_SEGMENT]) for word in _SEPARATORS.split(folded) if word]
    words = [word for word in words if word]
    telling = (place for place, word in enumerate(words) if word not in _ARTICLES)
    return _join_within_limit(words[next(telling, len(words) - 1) :])


def canonical(candidate: FactCandidate) -> FactCandidate:
    """Give a candidate the attribute name the table knows: `likes=olives` → `taste:olives=like`."""
    if candidate.attribute is None:
        return candidate
    head, rest = _path(candidate.attribute)
    if head in TASTES and not rest and candidate.value:
        changes = {"attribute": f"taste:{candidate.value}", "value": TASTES[head]}
        return candidate.model_copy(update=changes)
    name = ":".join((head, *rest))
    return candidate.model_copy(update={"attribute": ALIASES[name]} if name in ALIASES else {})


def resolve_entity(candidate: FactCandidate, known: Mapping[str, str]) -> FactCandidate:
    """Fill in what memory knows about the entity.

    Args:
        candidate: A proposed fact, perhaps about a bare name or a bare relation.
        known: Normalised entity names and their kinds, such as `{"luna": "cat"}`.

    Returns:
        The candidate with its kind (`Luna` is a cat) or its name (`my sister` is Eva), where
        memory leaves no doubt about it.
    """
    if candidate.entity == "user":
        return candidate
    entity = normalise(candidate.entity)
    if candidate.entity_kind is None and entity in known:
        return _with_kind(candidate, known[entity])
    if candidate.entity_kind is not None and entity == normalise(candidate.entity_kind):
        names = [name for name, kind in known.items() if normalise(kind) == entity != name]
        if len(names) == 1:
            return candidate.model_copy(update={"entity": names[0].title()})
    return candidate


def fact_key(candidate: FactCandidate) -> str | None:
    """Build the key of a candidate, or None when entity or attribute are not known."""
    candidate = canonical(candidate)
    if candidate.attribute is None:
        return None
    head, rest = _path(candidate.attribute)
    rule = ATTRIBUTES.get(head)
    owner = _owner(candidate)
    if rule is None or owner is None:
        return None
    tail = _tail(candidate, rule, head, rest)
    if tail is None:
        return None
    category = "profile" if owner else rule.category
    attribute = () if head == category else (head,)
    return ":".join((category, *owner, *attribute, *tail))


_UNKEYED = "fact-"


def unkeyed_id(*parts: str) -> str:
    """Return the id of a fact that has no key: always the same for the same parts."""
    return f"{_UNKEYED}{stable_id(*parts)}"


def has_key(fact_id: str | None) -> bool:
    """Say whether the id of a fact is its key."""
    return fact_id is not None and not fact_id.startswith(_UNKEYED)


def attribute_rule(attribute: str) -> Attribute | None:
    """Look up how an attribute is filed, whatever its spelling."""
    head, _ = _path(attribute)
    return ATTRIBUTES.get(head)


def _tail(
    candidate: FactCandidate, rule: Attribute, head: str, rest: tuple[str, ...]
) -> tuple[str, ...] | None:
    """Return what follows the attribute in the key; None when it is missing."""
    if rule.arity == "single":
        return rest
    if rule.arity == "multi":
        value = normalise(candidate.value or "")
        return (*rest, value) if value else None
    if head == "event" and rest and rest[0] not in ONE_OFF_EVENTS:
        day = candidate.event_date.isoformat() if candidate.event_date else candidate.value
        return (*rest, normalise(day)) if day else None
    return rest or None


def _owner(candidate: FactCandidate) -> tuple[str, ...] | None:
    """Return the key's segments for the entity: none for the user, None when unknown."""
    entity = normalise(candidate.entity)
    if entity == "user":
        return ()
    if candidate.entity_kind is None or not entity:
        return None
    kind = normalise(candidate.entity_kind)
    return (kind,) if entity == kind else (_kind_group(kind), entity)


def _kind_group(kind: str) -> str:
    if kind in PETS:
        return "pet"
    if kind in PEOPLE or kind.split("-")[-1] in PEOPLE:
        return "person"
    return kind


def _with_kind(candidate: FactCandidate, kind: str) -> FactCandidate:
    statement = candidate.statement
    if statement.startswith(candidate.entity):
        statement = f"The user's {kind} {statement}"
    return candidate.model_copy(update={"entity_kind": kind, "statement": statement})


def _path(attribute: str) -> tuple[str, tuple[str, ...]]:
    """Split `taste:olives` into its normalised head and the rest, aliases resolved."""
    head, *rest = [segment for segment in map(normalise, attribute.split(":")) if segment] or [""]
    name = ":".join((head, *rest))
    if name in ALIASES:
        return ALIASES[name], ()
    return ALIASES.get(head, head), tuple(rest)


def _strip_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    decomposed = unicodedata.normalize("NFKD", decomposed)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def _singular(word: str) -> str:
    """Fold a plural to its singular, until nothing changes (so that folding twice is safe)."""
    word = _SPELLINGS.get(word, word)
    if len(word) <= 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("shes", "ches", "xes", "sses", "oes")):
        return _singular(word[:-2])
    return _singular(word[:-1])


def _join_within_limit(words: list[str]) -> str:
    joined = ""
    for word in words:
        longer = f"{joined}-{word}" if joined else word
        if len(longer) > MAX_SEGMENT:
            break
        joined = longer
    return joined
