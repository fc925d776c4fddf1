"""Say a fact as a sentence: in the third person, and to the user in their language."""

from dataclasses import dataclass

from memory_graph.keys import PEOPLE, PETS, attribute_rule
from memory_graph.language.words import lines, table
from memory_graph.records import Claim, FactCandidate

_OTHER_FORM = ("'s {name} is {value}", "'s {name} is no longer {value}")
_SENTENCES = [line.split("|") for line in lines("fact_sentences")]
_FORMS = {each[0]: (each[1], each[2]) for each in _SENTENCES if len(each) == 3}
"""Stated and ended, to follow the subject; `rest` is what a path attribute names."""
_FIXED = {each[0]: each[1] for each in _SENTENCES if len(each) == 2}
"""Values that are said in their own words."""
_PLURAL = {"is": "are", "has": "have", "does": "do"}


@dataclass(frozen=True)
class Subject:
    """Somebody or something facts are about."""

    entity: str
    kind: str | None = None

    @property
    def called(self) -> str:
        """Its kind and its name, if it has one: `sister`, `sister Eva`."""
        return f"{self.kind} {self.entity}" if self.entity != self.kind else self.entity


USER = Subject("user")


def candidate(
    subject: Subject, attribute: str, value: str | None, *, retracts: bool = False
) -> FactCandidate:
    """Build the candidate; a fact about somebody else is always part of the user's profile.

    What concerns somebody else matters less, unless it is their health.
    """
    rule = attribute_rule(attribute)
    importance = rule.importance if rule else 3
    is_close = subject == USER or (rule is not None and rule.category == "health")
    return FactCandidate(
        statement=_sentence(subject, attribute, value, retracts=retracts),
        category=rule.category if rule and subject == USER else "profile",
        entity=subject.entity,
        entity_kind=subject.kind,
        attribute=attribute,
        value=value,
        importance=importance if is_close else min(importance, 4),
        retracts=retracts,
    )


def losing(person: Subject) -> FactCandidate:
    """Build the candidate that somebody has died or is gone."""
    lost = candidate(person, "name", person.entity, retracts=True)
    if person.entity == person.kind:
        lost = candidate(USER, f"has:{person.kind}", None, retracts=True)
    return lost.model_copy(update={"statement": f"The user has lost their {person.called}."})


def as_stated(about: Claim, value: str) -> str:
    """Return the sentence `The user is 35 years old.` of a fact, with another value."""
    subject = Subject(about.entity, about.entity_kind)
    return candidate(subject, about.attribute or "", value).statement


def said_to_user(attribute: str, value: str, language: str) -> str | None:
    """Return an attribute of the user's as it is said to them, where their language has words."""
    frame = table("profile")["said"].get(language, {}).get(attribute)
    return frame.format(value=value) if frame else None


def _sentence(subject: Subject, attribute: str, value: str | None, *, retracts: bool) -> str:
    if attribute == "name" and subject != USER:
        having = "no longer has" if retracts else "has"
        return f"The user {having} {_a(subject.kind or 'friend')} called {subject.entity}."
    head, _, rest = attribute.partition(":")
    text, name = value or "", head.replace("_", " ")
    form = _form(attribute, value, retracts=retracts)
    told = form.format(value=text, a_value=_a(text), rest=rest, name=name)
    kind = subject.kind or ""
    is_plural = kind.endswith("s") and kind.removesuffix("s") in PEOPLE | PETS
    if is_plural and told.startswith(" "):  # ` lives in Graz`; possessives stay
        verb, _, after = told[1:].partition(" ")
        told = f" {_PLURAL.get(verb, verb.removesuffix('s'))} {after}"
    who = f"The user's {subject.called}" if subject.kind else subject.entity
    return f"{'The user' if subject == USER else who}{told}."


def _form(attribute: str, value: str | None, *, retracts: bool) -> str:
    head = attribute.partition(":")[0]
    fixed = _FIXED.get(f"{head}={value or ''}")
    if fixed and not (value and retracts):
        return fixed
    if value is None:
        which = " for {rest}" if ":" in attribute else ""
        return f"'s {{name}}{which} is no longer what was told"
    if head == "job" and value.endswith("student") and not retracts:
        return " is {a_value}"
    stated, ended = _FORMS.get(head, _OTHER_FORM)
    return ended if retracts else stated


def _a(noun: str) -> str:
    return f"{'an' if noun[:1].casefold() in {*'aeiou'} else 'a'} {noun}"
