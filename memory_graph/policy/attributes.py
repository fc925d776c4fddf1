"""Which attributes of a person, pet or thing are known, and how many values may each have?"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from memory_graph.records import FactCategory

Arity = Literal["single", "multi", "path"]
"""`single`: one value at a time. `multi`: one fact per value. `path`: one fact per "
"sub-attribute."""


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
