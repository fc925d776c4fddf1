"""How is a fact said in one clean sentence about the user?"""

from collections.abc import Mapping

from memory_graph.llm.offline.statements.pattern import Reading
from memory_graph.llm.offline.statements.subjects import USER, Subject, is_plural

_TEMPLATES: Mapping[str, tuple[str, str]] = {
    "name": ("is called {}", "is no longer called {}"),
    "nickname": ("likes to be called {}", "no longer wants to be called {}"),
    "pronouns": ("uses the pronouns {}", "no longer uses the pronouns {}"),
    "age": ("is {} years old", "is not {} years old"),
    "birthday": ("has the birthday {}", "does not have the birthday {}"),
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
_POSSESSED: Mapping[str, str] = {
    "surname": "surname",
    "email": "email address",
    "height": "height",
    "weight": "weight",
    "blood_type": "blood type",
    "clock": "preferred clock",
    "birthday": "birthday",
    "address": "address",
    "native_language": "native language",
}
_ADJECTIVE_DIETS = frozenset(
    {"vegetarian", "vegan", "pescatarian", "pescetarian", "flexitarian", "omnivore"}
)
_ADJECTIVE_JOBS = frozenset({"retired", "self-employed", "unemployed"})
_FIXED: Mapping[tuple[str, str | None], str] = {
    ("taste", "like"): "likes {}",
    ("taste", "dislike"): "does not like {}",
    ("eats", "yes"): "eats {}",
    ("eats", "no"): "does not eat {}",
    ("drinks", "yes"): "drinks {}",
    ("drinks", "no"): "does not drink {}",
    ("diet", "no meat"): "does not eat meat",
    ("diet", "eats meat"): "eats meat",
    ("children", "none"): "has no children",
    ("children", "some"): "has children",
    ("smokes", "yes"): "smokes",
    ("smokes", "no"): "does not smoke",
    ("has", "yes"): "has a {}",
    ("has", None): "no longer has a {}",
}


def sentence(subject: Subject, reading: Reading) -> str:
    """Say a reading about its subject, such as `The user's cat Luna is 4 years old.`."""
    if reading.attribute == "name" and subject != USER:
        return _introduction(subject, reading)
    who = _who(subject)
    possessed = _possessed(reading)
    if reading.retracts and reading.value is None and not _says_it_all(reading):
        return f"What was told about {who[0].lower() + who[1:] if subject == USER or subject.kind else who}'s {possessed or _plain(reading)} no longer holds."
    if possessed and not reading.retracts:
        return f"{who}'s {possessed} is {_on(reading)}{reading.value}."
    told = _predicate(reading)
    return f"{who} {_plural(told) if is_plural(subject) else told}."


def _introduction(subject: Subject, reading: Reading) -> str:
    having = "no longer has" if reading.retracts else "has"
    return f"The user {having} {_a(subject.kind or 'friend')} called {subject.entity}."


def _who(subject: Subject) -> str:
    if subject == USER:
        return "The user"
    if subject.kind is None:
        return subject.entity
    if subject.entity == subject.kind:
        return f"The user's {subject.kind}"
    return f"The user's {subject.kind} {subject.entity}"


def _says_it_all(reading: Reading) -> bool:
    """Say whether the attribute alone makes a sentence: `no longer has a dog`."""
    return reading.attribute in {"car", "relationship_status"} or reading.attribute.startswith(
        "has:"
    )


def _plain(reading: Reading) -> str:
    return reading.attribute.replace(":", " of ").replace("_", " ")


def _on(reading: Reading) -> str:
    return "on " if reading.attribute.startswith(("event:", "birthday")) else ""


def _possessed(reading: Reading) -> str | None:
    """Name what is said as `the user's favourite band is …`."""
    head, _, rest = reading.attribute.partition(":")
    if head == "favourite":
        return f"favourite {rest}"
    return (rest if head == "event" else _POSSESSED.get(head)) or None


def _predicate(reading: Reading) -> str:
    head, _, rest = reading.attribute.partition(":")
    value = reading.value or ""
    if (head, reading.value) in _FIXED:
        return _FIXED[head, reading.value].format(rest)
    if head == "choice":
        return f"prefers {value} in the choice {rest}"
    if head == "diet" and not reading.retracts:
        return f"is {value}" if value in _ADJECTIVE_DIETS else f"follows a {value} diet"
    if head == "job" and value and not reading.retracts:
        return _occupation(value)
    stated, ended = _TEMPLATES.get(head, ("has {}", "no longer has {}"))
    named = value if head in _TEMPLATES else (_possessed(reading) or rest or head)
    return (ended if reading.retracts else stated).format(named).strip()


def _occupation(value: str) -> str:
    if value in _ADJECTIVE_JOBS:
        return f"is {value}"
    return f"works as {_a(value)}"


def _a(noun: str) -> str:
    return f"{'an' if noun[0].casefold() in 'aeiou' else 'a'} {noun}"


def _plural(predicate: str) -> str:
    verb, _, rest = predicate.partition(" ")
    plain = {"is": "are", "has": "have", "does": "do"}.get(verb, verb.removesuffix("s"))
    return f"{plain} {rest}"
