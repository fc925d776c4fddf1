"""How is a fact said in one clean sentence about the user?"""

from collections.abc import Mapping

from memory_graph.llm.offline.statements.pattern import Reading
from memory_graph.llm.offline.statements.subjects import USER, Subject, is_plural

_FORMS: Mapping[str, tuple[str, str]] = {
    "name": (" is called {value}", " is no longer called {value}"),
    "nickname": (" likes to be called {value}", " no longer likes to be called {value}"),
    "pronouns": (" uses the pronouns {value}", " no longer uses the pronouns {value}"),
    "age": (" is {value} years old", " is not {value} years old"),
    "birthday": ("'s birthday is on {value}", "'s birthday is not on {value}"),
    "nationality": (" is {value}", " is not {value}"),
    "city": (" lives in {value}", " no longer lives in {value}"),
    "country": (" lives in {value}", " no longer lives in {value}"),
    "hometown": (" comes from {value}", " does not come from {value}"),
    "timezone": (" is in the time zone {value}", " is no longer in the time zone {value}"),
    "language": (" speaks {value}", " does not speak {value}"),
    "relationship_status": (" is {value}", " is no longer {value}"),
    "children": (" has {value} children", " no longer has {value} children"),
    "breed": (" is {a_value}", " is not {a_value}"),
    "car": (" drives {a_value}", " no longer drives {a_value}"),
    "os": (" uses the operating system {value}", " no longer uses {value}"),
    "handedness": (" is {value}-handed", " is not {value}-handed"),
    "hobby": (" has the hobby {value}", " no longer has the hobby {value}"),
    "job": (" works as {a_value}", " no longer works as {a_value}"),
    "employer": (" works at {value}", " no longer works at {value}"),
    "studies": (" studies {value}", " no longer studies {value}"),
    "school": ("'s school is or was {value}", "'s school is not {value}"),
    "programming_language": (" programs in {value}", " no longer programs in {value}"),
    "tool": (" uses {value}", " no longer uses {value}"),
    "diet": (" follows {a_value} diet", " is no longer {value}"),
    "allergy": (" is allergic to {value}", " is not allergic to {value}"),
    "intolerance": (" does not tolerate {value}", " tolerates {value}"),
    "condition": (" has {value}", " no longer has {value}"),
    "medication": (" takes {value}", " no longer takes {value}"),
    "theme": (" prefers the {value} theme", " no longer prefers the {value} theme"),
    "units": (" prefers {value} units", " no longer prefers {value} units"),
    "answer_style": (" wants {value} answers", " no longer wants {value} answers"),
    "answer_language": (" wants answers in {value}", " no longer wants answers in {value}"),
    "seat": (" prefers the {value} seat", " no longer prefers the {value} seat"),
    "editor": (" prefers the editor {value}", " no longer prefers the editor {value}"),
    "goal": (" has the goal to {value}", " has given up the goal to {value}"),
    "favourite": ("'s favourite {rest} is {value}", "'s favourite {rest} is not {value}"),
    "choice": (" prefers {value} ({rest})", " no longer prefers {value} ({rest})"),
    "event": ("'s {rest} is planned for {value}", "'s {rest} is not planned for {value}"),
}
"""Stated and ended, to follow the subject; `rest` is what a path attribute names."""

_OTHER_FORM = ("'s {name} is {value}", "'s {name} is no longer {value}")

_FORGOTTEN = "'s {name} is no longer what was told"
_FORGOTTEN_PATH = "'s {name} for {rest} is no longer what was told"

_FIXED: Mapping[tuple[str, str | None], str] = {
    ("taste", "like"): " likes {rest}",
    ("taste", "dislike"): " does not like {rest}",
    ("eats", "yes"): " eats {rest}",
    ("eats", "no"): " does not eat {rest}",
    ("drinks", "yes"): " drinks {rest}",
    ("drinks", "no"): " does not drink {rest}",
    ("diet", "no meat"): " does not eat meat",
    ("diet", "eats meat"): " eats meat",
    ("children", "none"): " has no children",
    ("children", "some"): " has children",
    ("smokes", "yes"): " smokes",
    ("smokes", "no"): " does not smoke",
    ("has", "yes"): " has a {rest}",
    ("has", None): " no longer has a {rest}",
    ("car", None): " no longer has a car",
    ("relationship_status", None): " is no longer in a relationship",
}
"""Values that are said in their own words."""

_ADJECTIVES = frozenset(
    {"retired", "self-employed", "unemployed", "vegetarian", "vegan", "pescatarian"}
)


def sentence(subject: Subject, reading: Reading) -> str:
    """Say a reading about its subject, such as `The user's cat Luna is 4 years old.`."""
    if reading.attribute == "name" and subject != USER:
        return _introduction(subject, reading)
    head, _, rest = reading.attribute.partition(":")
    value = reading.value or ""
    told = _form(head, reading).format(
        value=value, a_value=_a(value), rest=rest, name=head.replace("_", " ")
    )
    return f"{_who(subject)}{_plural(told) if is_plural(subject) else told}."


def _form(head: str, reading: Reading) -> str:
    if (head, reading.value) in _FIXED:
        return _FIXED[head, reading.value]
    if reading.value is None:
        return _FORGOTTEN_PATH if ":" in reading.attribute else _FORGOTTEN
    if reading.value in _ADJECTIVES and not reading.retracts:
        return " is {value}"
    stated, ended = _FORMS.get(head, _OTHER_FORM)
    return ended if reading.retracts else stated


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


def _a(noun: str) -> str:
    return f"{'an' if noun[:1].casefold() in {*'aeiou'} else 'a'} {noun}"


def _plural(told: str) -> str:
    """Turn ` lives in Graz` into ` live in Graz`; possessives stay."""
    if not told.startswith(" "):
        return told
    verb, _, rest = told[1:].partition(" ")
    plain = {"is": "are", "has": "have", "does": "do"}.get(verb, verb.removesuffix("s"))
    return f" {plain} {rest}"
