"""How is a fact said in one clean sentence about the user?"""

from collections.abc import Mapping

from memory_graph.llm.offline.statements.pattern import Reading
from memory_graph.llm.offline.statements.subjects import USER, Subject

_TEMPLATES: Mapping[str, tuple[str, str]] = {
    "name": ("is called {}", "is no longer called {}"),
    "nickname": ("likes to be called {}", "no longer wants to be called {}"),
    "pronouns": ("uses the pronouns {}", "no longer uses the pronouns {}"),
    "age": ("is {} years old", "is not {} years old"),
    "birthday": ("has their birthday on {}", "does not have their birthday on {}"),
    "nationality": ("is {}", "is not {}"),
    "city": ("lives in {}", "no longer lives in {}"),
    "country": ("lives in {}", "no longer lives in {}"),
    "hometown": ("comes from {}", "does not come from {}"),
    "address": ("has the address {}", "no longer has the address {}"),
    "timezone": ("is in the time zone {}", "is no longer in the time zone {}"),
    "native_language": ("has {} as native language", "does not have {} as native language"),
    "language": ("speaks {}", "does not speak {}"),
    "relationship_status": ("is {}", "is no longer {}"),
    "children": ("has {} children", "no longer has {} children"),
    "breed": ("is a {}", "is not a {}"),
    "car": ("drives a {}", "no longer has a car {}"),
    "phone": ("has the phone {}", "no longer has the phone {}"),
    "computer": ("has the computer {}", "no longer has the computer {}"),
    "os": ("uses {} as operating system", "no longer uses {}"),
    "handedness": ("is {}-handed", "is not {}-handed"),
    "hobby": ("has the hobby {}", "has given up {}"),
    "job": ("works as {}", "no longer works as {}"),
    "employer": ("works at {}", "no longer works at {}"),
    "studies": ("studies {}", "no longer studies {}"),
    "school": ("studies or studied at {}", "no longer studies at {}"),
    "programming_language": ("programs in {}", "no longer programs in {}"),
    "tool": ("uses {}", "no longer uses {}"),
    "diet": ("follows the diet {}", "no longer follows the diet {}"),
    "allergy": ("is allergic to {}", "is not allergic to {}"),
    "intolerance": ("does not tolerate {}", "tolerates {}"),
    "condition": ("has {}", "no longer has {}"),
    "medication": ("takes {}", "no longer takes {}"),
    "theme": ("prefers the {} theme", "no longer prefers the {} theme"),
    "units": ("prefers {} units", "no longer prefers {} units"),
    "answer_style": ("wants answers to be {}", "no longer wants answers to be {}"),
    "answer_language": ("wants answers in {}", "no longer wants answers in {}"),
    "seat": ("prefers the {} seat", "no longer prefers the {} seat"),
    "editor": ("prefers the editor {}", "no longer prefers the editor {}"),
    "goal": ("has the goal to {}", "has given up the goal to {}"),
}
_DIETS = {"no meat": "does not eat meat", "eats meat": "eats meat"}
_ADJECTIVE_JOBS = frozenset({"retired", "self-employed", "unemployed"})
_PATHS: Mapping[tuple[str, str | None], str] = {
    ("taste", "like"): "likes {}",
    ("taste", "dislike"): "does not like {}",
    ("eats", "yes"): "eats {}",
    ("eats", "no"): "does not eat {}",
    ("drinks", "yes"): "drinks {}",
    ("drinks", "no"): "does not drink {}",
    ("smokes", "yes"): "smokes",
    ("smokes", "no"): "does not smoke",
    ("has", "yes"): "has a {}",
    ("has", None): "no longer has a {}",
}


def sentence(subject: Subject, reading: Reading) -> str:
    """Say a reading about its subject: `The user's cat Luna is 4 years old.`"""
    return f"{_who(subject)} {_predicate(reading)}.".replace(" .", ".")


def _who(subject: Subject) -> str:
    if subject == USER:
        return "The user"
    if subject.kind is None:
        return subject.entity
    if subject.entity == subject.kind:
        return f"The user's {subject.kind}"
    return f"The user's {subject.kind} {subject.entity}"


def _predicate(reading: Reading) -> str:
    head, _, rest = reading.attribute.partition(":")
    if (head, reading.value) in _PATHS:
        return _PATHS[head, reading.value].format(rest)
    if head == "job" and reading.value and not reading.retracts:
        return _occupation(reading.value)
    if head == "diet" and reading.value in _DIETS:
        return _DIETS[reading.value]
    if head in _TEMPLATES:
        stated, ended = _TEMPLATES[head]
        return (ended if reading.retracts else stated).format(reading.value or "").strip()
    return _generic(head, rest, reading)


def _generic(head: str, rest: str, reading: Reading) -> str:
    """Say an attribute that has no sentence of its own."""
    about = {"favourite": f"favourite {rest}", "choice": f"choice between {rest}", "event": rest}
    name = about.get(head, rest or head).replace("_", " ")
    if reading.retracts:
        return f"no longer has {name} {reading.value or ''}".strip()
    if head == "event":
        return f"has {name} on {reading.value}"
    return f"has {name}: {reading.value}"


def _occupation(value: str) -> str:
    if value in _ADJECTIVE_JOBS:
        return f"is {value}"
    article = "an" if value[0].casefold() in "aeiou" else "a"
    return f"works as {article} {value}"
