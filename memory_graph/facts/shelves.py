"""Which part of a user's profile a fact belongs to: name, home, work, people, health, languages."""

from collections.abc import Mapping
from typing import Literal, get_args

from memory_graph.keys import PEOPLE, PETS, normalise
from memory_graph.records import Fact

Shelf = Literal["name", "home", "work", "people", "health", "languages", "other"]
SHELVES: tuple[Shelf, ...] = get_args(Shelf)

_BY_ATTRIBUTE: Mapping[str, Shelf] = {
    **dict.fromkeys(("name", "nickname", "surname", "age", "birthday"), "name"),
    **dict.fromkeys(("city", "address", "country", "hometown"), "home"),
    **dict.fromkeys(("job", "employer", "study", "school"), "work"),
    **dict.fromkeys(("allergy", "intolerance", "diet", "condition", "medication"), "health"),
    **dict.fromkeys(("language", "languages", "speak"), "languages"),
}


def shelf_of(fact: Fact) -> Shelf | None:
    """Return the part of the profile that a fact belongs to, if it belongs there."""
    return shelf(
        entity=fact.entity,
        kind=fact.entity_kind,
        attribute=fact.attribute,
        category=fact.category,
        is_profile=fact.profile,
    )


def shelf(
    *, entity: str, kind: str | None, attribute: str | None, category: str, is_profile: bool
) -> Shelf | None:
    """Return the part of the profile that such a fact belongs to, if it belongs there."""
    if entity == "user":
        known = _BY_ATTRIBUTE.get(normalise((attribute or "").partition(":")[0]))
        if known or not is_profile:
            return known
        return "work" if category == "work" else "health" if category == "health" else "other"
    closest = normalise(kind or "").split("-")[-1]
    if closest in PEOPLE or closest in PETS:
        is_named = (attribute or "").partition(":")[0] in {"", "name"}
        return "people" if is_profile or is_named else None
    return "other" if is_profile else None
