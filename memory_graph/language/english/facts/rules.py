"""Rules that turn an English predicate into a fact with a key and a sentence."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from memory_graph.keys import PEOPLE, PETS, attribute_rule, normalise
from memory_graph.language.english.facts import phrases
from memory_graph.language.english.facts.phrases import Reader, lines, pattern, written_out
from memory_graph.records import FactCandidate


@dataclass(frozen=True)
class Subject:
    """Somebody or something facts are about."""

    entity: str
    kind: str | None = None

    @property
    def is_plural(self) -> bool:
        """Whether it is several people: `parents`."""
        kind = self.kind or ""
        return kind.endswith("s") and kind.removesuffix("s") in PEOPLE | PETS

    @property
    def called(self) -> str:
        """Its kind and its name, if it has one: `sister`, `sister Eva`."""
        named = self.entity != self.kind
        return f"{self.kind} {self.entity}" if named else self.entity


USER = Subject("user")


@dataclass(frozen=True)
class Reading:
    """One attribute with its value, as a statement gave or took it."""

    attribute: str
    value: str | None
    retracts: bool = False


_OTHER_FORM = ("'s {name} is {value}", "'s {name} is no longer {value}")
_SENTENCES = [line.split("|") for line in lines("fact_sentences") if line]
_FORMS = {each[0]: (each[1], each[2]) for each in _SENTENCES if len(each) == 3}
"""Stated and ended, to follow the subject; `rest` is what a path attribute names."""
_FIXED = {each[0]: each[1] for each in _SENTENCES if len(each) == 2}
"""Values that are said in their own words."""


def candidate(subject: Subject, reading: Reading) -> FactCandidate:
    """Build the candidate; a fact about somebody else is always part of the user's profile.

    What concerns somebody else matters less, unless it is their health.
    """
    rule = attribute_rule(reading.attribute)
    importance = rule.importance if rule else 3
    is_close = subject == USER or (rule is not None and rule.category == "health")
    return FactCandidate(
        statement=_sentence(subject, reading),
        category=rule.category if rule and subject == USER else "profile",
        entity=subject.entity,
        entity_kind=subject.kind,
        attribute=reading.attribute,
        value=reading.value,
        importance=importance if is_close else min(importance, 4),
        retracts=reading.retracts,
    )


def losing(person: Subject) -> FactCandidate:
    """Build the candidate that somebody has died or is gone."""
    lost = candidate(person, Reading("name", person.entity, retracts=True))
    if person.entity == person.kind:
        lost = candidate(USER, Reading(f"has:{person.kind}", None, retracts=True))
    return lost.model_copy(update={"statement": f"The user has lost their {person.called}."})


def with_value(fact: FactCandidate, value: str) -> list[FactCandidate]:
    """Give a fact its right value; somebody's other name is filed under that name."""
    subject = Subject(fact.entity, fact.entity_kind)
    if fact.attribute != "name" or subject == USER:
        return [candidate(subject, Reading(fact.attribute or "", value))]
    renamed = candidate(Subject(value, subject.kind), Reading("name", value))
    if normalise(value) == normalise(subject.entity):
        return [renamed]
    return [candidate(subject, Reading("name", subject.entity, retracts=True)), renamed]


def forgotten(fact: FactCandidate) -> FactCandidate:
    """Turn a statement into the wish to forget it; `taste:olives` needs no value for that."""
    rule = attribute_rule(fact.attribute or "")
    value = None if rule and rule.arity == "path" else fact.value
    subject = Subject(fact.entity, fact.entity_kind)
    return candidate(subject, Reading(fact.attribute or "", value, retracts=True))


def _sentence(subject: Subject, reading: Reading) -> str:
    if reading.attribute == "name" and subject != USER:
        having = "no longer has" if reading.retracts else "has"
        return f"The user {having} {_a(subject.kind or 'friend')} called {subject.entity}."
    head, _, rest = reading.attribute.partition(":")
    value = reading.value or ""
    told = _form(head, reading).format(
        value=value, a_value=_a(value), rest=rest, name=head.replace("_", " ")
    )
    if subject.is_plural and told.startswith(" "):  # ` lives in Graz`; possessives stay
        verb, _, after = told[1:].partition(" ")
        plain = {"is": "are", "has": "have", "does": "do"}.get(verb, verb.removesuffix("s"))
        told = f" {plain} {after}"
    who = f"The user's {subject.called}" if subject.kind else subject.entity
    return f"{'The user' if subject == USER else who}{told}."


def _form(head: str, reading: Reading) -> str:
    fixed = _FIXED.get(f"{head}={reading.value or ''}")
    if fixed and not (reading.value and reading.retracts):
        return fixed
    if reading.value is None:
        which = " for {rest}" if ":" in reading.attribute else ""
        return f"'s {{name}}{which} is no longer what was told"
    if head == "job" and reading.value.endswith("student") and not reading.retracts:
        return " is {a_value}"
    if head == "age" and " " in reading.value:
        return " is {value} old"
    stated, ended = _FORMS.get(head, _OTHER_FORM)
    return ended if reading.retracts else stated


def _a(noun: str) -> str:
    return f"{'an' if noun[:1].casefold() in {*'aeiou'} else 'a'} {noun}"


_ONLY_ENDED = frozenset(
    "job employer condition relationship_status nationality hometown has:{} age birthday".split()
)
"""Attributes that a plain denial (`I'm not a doctor`) does not end."""


@dataclass(frozen=True)
class Predicate:
    """A predicate in its plain form, and whether it is denied."""

    text: str
    negated: bool = False
    lapsed: bool = False
    """It was so once (`used to`), which says less than a denial."""

    ended: bool = False
    """It is so no longer: more than that it is not so."""


@dataclass(frozen=True)
class Rule:
    """One way of stating an attribute; the regex group `v` captures the value."""

    attribute: str
    """May hold `{}` for the captured phrase: `taste:{}`; the value is then an answer."""

    regex: re.Pattern[str]
    read: Reader
    flags: frozenset[str]
    """`ended`: the words themselves end it. `denied`: only a denial counts. `user`, `other`."""

    answers: tuple[str, ...] = ()
    """The value when it is stated, and when denied; without the second, a denial retracts."""

    def readings(self, subject: Subject, predicate: Predicate) -> tuple[Reading, ...]:
        """Return what the predicate states by this rule, if anything."""
        match = self.regex.fullmatch(predicate.text)
        if match is None or not self._applies(subject, predicate):
            return ()
        groups = match.groupdict()
        found = self.read(groups["v"]) if groups.get("v") else ("",)
        if rival := groups.get("rival"):
            return _choice(found, phrases.things(rival), predicate)
        return tuple(self._reading(value, predicate) for value in found)

    def _applies(self, subject: Subject, predicate: Predicate) -> bool:
        if ("user" if subject != USER else "other") in self.flags:
            return False
        if "ended" in self.flags:
            return not (predicate.negated or predicate.lapsed)
        if predicate.negated and not predicate.ended and self.attribute in _ONLY_ENDED:
            return False
        return predicate.negated or "denied" not in self.flags

    def _reading(self, captured: str, predicate: Predicate) -> Reading:
        attribute = self.attribute.format(captured)
        over = predicate.negated or predicate.lapsed
        if attribute.startswith("has:"):
            return Reading(attribute, None, retracts=True)
        if not self.answers:
            return Reading(attribute, captured or None, retracts=over or "ended" in self.flags)
        yes, no = self.answers
        answer = yes if not over else no if predicate.negated else ""
        return Reading(attribute, answer or None, retracts=not answer)


def read_predicate(subject: Subject, text: str) -> tuple[Reading, ...]:
    """Return everything a predicate states about its subject."""
    predicate = _plain(text)
    timeless = replace(predicate, text=phrases.clean(predicate.text))
    for groups, each in ((_GROUPS, predicate), (_GROUPS, timeless), (_BROAD_GROUPS, predicate)):
        found: list[Reading] = []
        for group in groups:
            readings = (rule.readings(subject, each) for rule in group)
            found.extend(next(filter(None, readings), ()))
        if found:
            return tuple(found)
    return ()


def _choice(
    chosen: tuple[str, ...], rivals: tuple[str, ...], predicate: Predicate
) -> tuple[Reading, ...]:
    """File a preference under both alternatives, so that changing one's mind finds it."""
    if len(chosen) != 1 or len(rivals) != 1:
        return ()
    pair = " or ".join(sorted((chosen[0], rivals[0]), key=str.casefold))
    return (Reading(f"choice:{pair}", chosen[0], retracts=predicate.negated),)


_NATIONS = phrases.words("nationalities")
_ILLNESSES = {"diabetic": "diabetes", "asthmatic": "asthma", "dyslexic": "dyslexia"}


def _job(text: str, read: Reader = phrases.occupation) -> tuple[str, ...]:
    """Read a job title up to where or for whom it is done."""
    if re.search(r" by (?:training|degree|education)\b", text):
        return ()
    title = pattern("title_end").split(pattern("aged_title").sub("", text))[0]
    one, both, other = title.partition(" and ")
    return (title,) if both and read(one) and phrases.occupation(other) else read(one)


def _employer(text: str) -> tuple[str, ...]:
    """Read the employer in `a nurse at St James`, where the title is one."""
    title, *rest = pattern("at").split(text, maxsplit=1)
    held = phrases.occupation(pattern("title_end").split(title)[0])
    if not rest or not held or held[0].endswith("student") or " for " in text:
        return ()
    return phrases.organisation(rest[0])


def _left(text: str) -> tuple[str, ...]:
    """Read `I left Acme`: a name that is no place or person, and no site one has an account at."""
    found = phrases.organisation(text)
    never = phrases.words("sites", "places", "countries", "first_names")
    return () if not found or found[0].casefold().split(" ")[0] in never else found


_READERS: Mapping[str, Reader] = {
    "job": _job,
    "own_job": lambda text: _job(text, phrases.profession),
    "employer": _employer,
    "left": _left,
    "relation": lambda word: (phrases.relation(word),),
    "illness": lambda word: (_ILLNESSES.get(word.casefold(), "coeliac disease"),),
    "nationality": lambda word: (word.title(),) if word.casefold() in _NATIONS else (),
    "nothing": lambda _: ("",),
    "same": lambda text: (text,),
    "lower": lambda text: (text.casefold(),),
}


def _groups(table: str) -> tuple[tuple[Rule, ...], ...]:
    parts = "\n".join(lines(table)).strip().split("\n\n")
    return tuple(tuple(_rule(line) for line in part.splitlines()) for part in parts)


def _rule(line: str) -> Rule:
    attribute, reader, flags, way = line.split(maxsplit=3)
    read: Reader = _READERS.get(reader) or getattr(phrases, reader)
    answers = tuple(flags.replace("_", " ").split("/")) if "/" in flags else ()
    regex = re.compile(written_out(way), re.IGNORECASE)
    return Rule(attribute, regex, read, frozenset(flags.split(",")), answers)


_GROUPS, _BROAD_GROUPS = _groups("fact_rules"), _groups("fact_rules_broad")
_VERBS = "live work love like hate speak prefer turn eat drink enjoy come use suffer adore dislike"
_BASE: Mapping[str, str] = {
    **dict.fromkeys(("am", "is", "are"), "be"),
    **{f"{verb}s": verb for verb in _VERBS.split()},
    **{"has": "have", "does": "do", "were": "was"},
    **{"living": "live", "working": "work", "eating": "eat", "drinking": "drink"},
}


def split_predicates(rest: str) -> tuple[str, ...]:
    """Split `live in Ghent, work as a translator and have a dog` at its verbs."""
    first, *others = [part for part in pattern("next").split(rest) if part] or [""]
    if pattern("titled_rules").match(first):
        apposed = pattern("apposition") if first.startswith("am ") else pattern("placed")
        first, *appositions = apposed.split(first)
        return (*map(_with_verb, appositions), first, *map(_with_verb, others))
    denied = "do not " if first.startswith(("do not ", "does not ")) and " or " in rest else ""
    return (first, *(denied + _with_verb(part) for part in others))


def _plain(text: str) -> Predicate:
    """Reduce `no longer works at Acme now` to `work at Acme`, negated."""
    text = _tidy(pattern("adverb").sub(" ", text))
    text, ends = pattern("ended").subn(" ", text)
    text, stops = pattern("quit").subn("", _tidy(text))
    text, lapses = pattern("used_to").subn("", text)
    text, denials = pattern("not").subn("", _base(pattern("started").sub("", text)))
    text = pattern("past").sub("be ", _base(pattern("state").sub("", _base(text))))
    ended = bool(ends or stops)
    return Predicate(_tidy(text), ended or bool(denials), bool(lapses), ended)


def _with_verb(part: str) -> str:
    """Give an apposition its verb: `29` → `am 29`, `based in Oslo` → `am based in Oslo`."""
    return f"am {part}" if pattern("verbless").match(part) else part


def _base(text: str) -> str:
    first, _, rest = text.partition(" ")
    return f"{_BASE.get(first, first)} {rest}".strip()


def _tidy(text: str) -> str:
    return re.sub(r"\s{2,}", " ", text).strip(" ,.!?;:")
