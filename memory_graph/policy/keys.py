"""Under which deterministic key is a fact filed, so that a newer statement finds the older one?"""

import re
import unicodedata
from collections.abc import Mapping

from memory_graph.policy.attributes import (
    ALIASES,
    ATTRIBUTES,
    ONE_OFF_EVENTS,
    PEOPLE,
    PETS,
    TASTES,
    Attribute,
)
from memory_graph.records import FactCandidate

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
    while len(words) > 1 and words[0] in _ARTICLES:
        words = words[1:]
    return _join_within_limit(words)


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
