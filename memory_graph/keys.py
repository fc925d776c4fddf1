"""The key of a fact: whom and what it is about, so that an update finds the older value."""

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeVar

from memory_graph.records import Claim, FactCandidate, FactCategory, Source

AnyClaim = TypeVar("AnyClaim", bound=Claim)


def stable_id(*parts: str) -> str:
    """Return the same id for the same parts, so that a retry writes nothing twice."""
    digest = sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(4, "big") + raw)
    return digest.hexdigest()[:32]


def turn_record_id(source: Source, role: str) -> str:
    """Return the id under which the words of one side of a turn are kept."""
    return f"turn-{stable_id(source.thread_id or '', *source.message_ids)}-{role}"


Arity = Literal["single", "multi", "path"]
"""`single`: one value at a time. `multi`: one fact per value. `path`: one fact per
sub-attribute."""


@dataclass(frozen=True)
class Attribute:
    """How facts about one attribute are filed."""

    category: FactCategory
    arity: Arity
    importance: int


_DATA = json.loads((Path(__file__).parent / "keys.json").read_text(encoding="utf-8"))

ATTRIBUTES: Mapping[str, Attribute] = {
    name: Attribute(each["category"], each["arity"], each["importance"])
    for each in _DATA["attributes"]
    for name in each["names"].split()
}
"""Keyed by the normalised attribute name (see `keys.normalise`)."""

ALIASES: Mapping[str, str] = _DATA["aliases"]
"""Other names of the same attribute, as models and people write them."""

TASTES: Mapping[str, str] = _DATA["tastes"]
"""Attributes that name a taste in their verb: `likes=olives` is filed as `taste:olives=like`."""

ONE_OFF_EVENTS = frozenset(_DATA["one_off_events"].split())
"""Events one has once, so that a new date moves them; others on another day are other events."""

PETS: frozenset[str] = frozenset(_DATA["pets"].split())
PEOPLE: frozenset[str] = frozenset(_DATA["people"].split())

MAX_SEGMENT = 80
_UNKEYED = "fact-"
_ARTICLES = frozenset({"a", "an", "the"})
_SPELLINGS = {"favorite": "favourite", "color": "colour", "neighbor": "neighbour"}
_SEPARATORS = re.compile(r"[^\w+#]+|_+")
_POSSESSIVE = re.compile(r"['’]s?(?=\W|$)")


def normalise(text: str) -> str:
    """Fold case, accents, plurals, possessives and spelling: `Luna's Olives` → `luna-olive`."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    folded = "".join(char for char in folded if not unicodedata.combining(char))
    parts = _SEPARATORS.split(_POSSESSIVE.sub("", folded))
    words = [word for part in parts if (word := _singular(part[:MAX_SEGMENT]))]
    while len(words) > 1 and words[0] in _ARTICLES:
        words.pop(0)
    words = words[:MAX_SEGMENT]
    while len(joined := "-".join(words)) > MAX_SEGMENT:
        words.pop()
    return joined


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


def canonical(candidate: AnyClaim) -> AnyClaim:
    """Give a candidate the attribute name the table knows: `likes=olives` → `taste:olives=like`."""
    if candidate.attribute is None:
        return candidate
    head, rest = _path(candidate.attribute)
    if head in TASTES and not rest and candidate.value:
        changes = {"attribute": f"taste:{candidate.value}", "value": TASTES[head]}
        return candidate.model_copy(update=changes)
    is_known = normalise(candidate.attribute.partition(":")[0]) == head
    attribute = candidate.attribute if is_known else ":".join((head, *rest))
    return candidate.model_copy(update={"attribute": attribute})


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
    entity, kind = normalise(candidate.entity), candidate.entity_kind
    if kind is None and entity in known:
        statement = candidate.statement
        if statement.startswith(candidate.entity):
            statement = f"The user's {known[entity]} {statement}"
        changes = {"entity_kind": known[entity], "statement": statement}
        return candidate.model_copy(update=changes)
    if kind is not None and entity == normalise(kind):
        names = [name for name, of in known.items() if normalise(of) == entity != name]
        if len(names) == 1:
            return candidate.model_copy(update={"entity": names[0].title()})
    return candidate


def fact_key(candidate: Claim) -> str | None:
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
    candidate: Claim, rule: Attribute, head: str, rest: tuple[str, ...]
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


def _owner(candidate: Claim) -> tuple[str, ...] | None:
    """Return the key's segments for the entity: none for the user, None when unknown."""
    entity = normalise(candidate.entity)
    if entity == "user":
        return ()
    if candidate.entity_kind is None or not entity:
        return None
    kind = normalise(candidate.entity_kind)
    if entity == kind:
        return (kind,)
    if kind in PETS:
        return ("pet", entity)
    return ("person" if kind.split("-")[-1] in PEOPLE else kind, entity)


def _path(attribute: str) -> tuple[str, tuple[str, ...]]:
    """Split `taste:olives` into its normalised head and the rest, aliases resolved."""
    head, *rest = [segment for segment in map(normalise, attribute.split(":")) if segment] or [""]
    name = ":".join((head, *rest))
    if name in ALIASES:
        return ALIASES[name], ()
    return ALIASES.get(head, head), tuple(rest)


def logged_id(label: str, record_id: str) -> str:
    """Return what logs call a memory of the user under a label: ids are made of words."""
    return stable_id(label, record_id)[:_LOGGED]


_LOGGED = 16
