"""Read the facts with keys that an English message states, by rules."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from memory_graph.keys import PEOPLE, PETS, attribute_rule, fact_key, normalise
from memory_graph.language.english import values
from memory_graph.language.english.values import Reader, lines, pattern, relation, written_out
from memory_graph.records import FactCandidate, FactRead

LONGEST_MESSAGE = 6000
"""Characters; a longer message was pasted, and nothing is read from it."""
LONGEST_SENTENCE = 500
"""Characters; a longer sentence has no grammar that rules could follow."""
MOST_CLAUSES = 60
"""Bounds the time one message may take."""
MOST_TEXTS = 6
"""Messages looked at; older ones correct and refer to nothing."""
SHARED = frozenset({"city", "country", "relationship_status", "children", "diet", "has"})
"""Attributes that `we` may state of the user."""
_HOLE = "\0"
"""Stands for every character of foreign text, so that positions stay those of the message."""


# — facts as sentences —


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
            return _choice(found, values.things(rival), predicate)
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
    timeless = replace(predicate, text=values.clean(predicate.text))
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


def _groups(table: str) -> tuple[tuple[Rule, ...], ...]:
    parts = "\n".join(lines(table)).strip().split("\n\n")
    return tuple(tuple(map(_rule, part.splitlines())) for part in parts)


def _rule(line: str) -> Rule:
    attribute, reader, flags, way = line.split(maxsplit=3)
    answers = tuple(flags.replace("_", " ").split("/")) if "/" in flags else ()
    regex = re.compile(written_out(way), re.IGNORECASE)
    return Rule(attribute, regex, values.reader(reader), frozenset(flags.split(",")), answers)


_GROUPS, _BROAD_GROUPS, _REQUESTS = map(
    _groups, ("fact_rules", "fact_rules_broad", "fact_requests")
)
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


# — clauses —


@dataclass(frozen=True)
class Clause:
    """One statement: as it was written, and with contractions and openers resolved."""

    source: str
    text: str
    opens: bool
    """Nothing but a greeting comes before it in its sentence."""

    greeted: bool = False
    """It follows a greeting, so that `I am Shaan` gives a name."""


_FOREIGN = tuple(
    pattern(f"foreign_{kind}") for kind in ("code", "lines", "quotes", "text", "writing")
)
_CONTRACTIONS = [
    (re.compile(short, re.IGNORECASE), long)
    for short, _, long in (line.partition(" = ") for line in lines("contractions"))
]
_EDGE = " \t.!?…,;:)\"'*_~"


@lru_cache(maxsize=512)
def split_clauses(message: str) -> tuple[Clause, ...]:
    """Return the statements of a message, in order, without what is asked, supposed or quoted."""
    if len(message) > LONGEST_MESSAGE or pattern("played").search(message):
        return ()
    masked = message.replace("’", "'").replace("\t", " ").replace("\r", " ")
    for foreign in _FOREIGN:
        masked = foreign.sub(_hole, masked)
    if len(pattern("document_line").findall(masked)) >= 2:
        return ()
    found: list[Clause] = []
    greeted = bool(pattern("greeting").match(masked))
    for start, end in _pieces(pattern("sentence_end"), masked, 0, len(masked)):
        if not masked[start:end].strip(_EDGE) or end - start > LONGEST_SENTENCE:
            continue
        clauses = [*_clauses_of(message, masked, (start, end))]
        found.extend(replace(clause, greeted=greeted) for clause in clauses)
        greeted = greeted and not clauses
    return tuple(found[:MOST_CLAUSES])


def _hole(match: re.Match[str]) -> str:
    """Blank out what is quoted, pasted or dictated; the title of a book or film stays."""
    found = match[0]
    if found[0] in "\"“«'‘" and pattern("title").fullmatch(found[1:-1]):
        return f" {found[1:-1]} "
    return re.sub(r"[^\n]", _HOLE, found)


def _pieces(
    separator: re.Pattern[str], text: str, start: int, end: int
) -> Iterator[tuple[int, int]]:
    for match in separator.finditer(text, start, end):
        yield start, match.start()
        start = match.end()
    yield start, end


def _clauses_of(message: str, masked: str, span: tuple[int, int]) -> Iterator[Clause]:
    whole = masked[slice(*span)]
    if pattern("reported").search(whole) or pattern("sarcasm").search(whole):
        return
    parts = _pieces(pattern("clause_end"), masked, *span)
    spans = [each for each in parts if masked[slice(*each)].strip()]
    if whole.rstrip().endswith("?"):
        if not spans or pattern("confirm").match(masked[slice(*spans[-1])].strip()):
            return
        spans = spans[:-1]
    opens = True
    for start, end in spans:
        raw = masked[start:end]
        text = _opened(raw)
        if pattern("is_question").match(text) or pattern("supposed").search(text):
            return
        if text and _HOLE not in raw and not pattern("unsure").search(text):
            yield Clause(message[start:end].strip(), text, opens)
        opens = opens and not text


def _opened(raw: str) -> str:
    """Return a clause in its plain form: openers and asides off, contractions written out."""
    text = pattern("bullet").sub("", raw).strip(_EDGE)
    for _ in range(5):
        text = pattern("opener").sub("", text).strip(_EDGE)
    text = " ".join(text.split())
    for short, long in _CONTRACTIONS:
        text = short.sub(long, text)
    for _ in range(3):
        text = pattern("aside").sub("", text).strip(_EDGE)
    return text


# — whom a clause is about —

_NOT_KEPT = frozenset("client person doctor teacher landlord parent baby fish".split())
"""Relations whose names are not read: too often a company, a title or a thing."""
_FEMALE = "sister mother daughter wife girlfriend aunt niece grandmother granddaughter".split()
_MALE = "brother father son husband boyfriend uncle nephew grandfather grandson".split()
_OTHER_GENDER = {
    **dict.fromkeys(_FEMALE, ("he", "his")),
    **dict.fromkeys(_MALE, ("she", "her")),
}
_INTRODUCTIONS = (
    *("list_people", "called", "name_is", "being", "being_several", "is_mine", "named_ours"),
)
_HAD_BY_ANOTHER = re.compile(r"\b(?:has|his|her|their)(?: [\w-]+){0,3} $", re.IGNORECASE)
"""Whose relative it is: `my friend Ann has a son called Tim`."""


@dataclass(frozen=True)
class Cast:
    """Who has been mentioned so far, by the name in small letters, and what was told."""

    known: Mapping[str, Subject] = field(default_factory=dict)
    last: Subject | None = None
    told: tuple[FactCandidate, ...] = ()

    def mention(self, *subjects: Subject) -> "Cast":
        """Return the cast after somebody was mentioned; the last one is who `she` is."""
        others = [subject for subject in subjects if subject != USER]
        if not others:
            return self
        known = {subject.entity.casefold(): subject for subject in others}
        return Cast({**self.known, **known}, others[-1], self.told)

    def without_pronoun(self) -> "Cast":
        """Return the cast when `she` may be anybody; a sister is still one, a friend is not."""
        sure = self.last is not None and self.last.kind in _OTHER_GENDER
        return self if sure else replace(self, last=None)


@dataclass(frozen=True)
class Told:
    """A subject, and what a clause says of them or of something they have."""

    subject: Subject
    rest: str
    owned: bool = False
    pronoun: bool = False
    shared: bool = False
    """It was said of `we`, so that a job, an age or a taste is not surely the user's."""


def find_subject(text: str, cast: Cast, *, opens: bool) -> Told | None:
    """Read the subject at the start of a clause; None when it is nobody facts are kept about."""
    if opens and pattern("elliptic").match(text):
        rest = text[0].lower() + text[1:]
        return Told(USER, f"am {rest}" if pattern("elliptic_be").match(rest) else rest)
    if match := pattern("user").match(text):
        return Told(USER, match["rest"], shared=match["who"].casefold() == "we")
    if opens and re.match(r"name is \w", text, re.IGNORECASE):
        return Told(USER, text, owned=True)
    if match := pattern("related").match(text):
        return _related(match)
    if match := pattern("own").match(text):
        return Told(USER, match["rest"], owned=True)
    return _pronoun(text, cast) or _named(text, cast)


def _related(match: re.Match[str]) -> Told | None:
    """Read `my sister …`, `my sister Eva …` or `my sister's …`."""
    kind = relation(match["kind"], plural=bool(match["plural"]))
    name, rest = match["name"], match["rest"]
    if name and not _is_named(name):
        return None if match["owns"] else Told(Subject(kind, kind), f"{name} {rest}")
    subject = Subject(name[0].upper() + name[1:] if name else kind, kind)
    return Told(subject, rest.removeprefix("who "), owned=bool(match["owns"]))


def _pronoun(text: str, cast: Cast) -> Told | None:
    word = text.split(" ")[0].casefold()
    if cast.last is None or word in _OTHER_GENDER.get(cast.last.kind or "", ()):
        return None
    if match := pattern("they" if cast.last.is_plural else "pronoun").match(text):
        return Told(cast.last, match["rest"], pronoun=True)
    match = pattern("pronoun_own").match(text)
    return Told(cast.last, match["rest"], owned=True, pronoun=True) if match else None


def _named(text: str, cast: Cast) -> Told | None:
    match = pattern("named").match(text)
    if match is None:
        return None
    name, rest = match["name"], match["rest"]
    known = cast.known.get(name.casefold())
    if known is None and not (pattern("news").match(rest) and _is_named(name)):
        return None
    return Told(known or Subject(name[0].upper() + name[1:]), rest, owned=bool(match["owns"]))


def _is_named(name: str) -> bool:
    """Say whether the word after a relation is a name; in small letters, only a known one."""
    return values.is_name(name) and (name[0].isupper() or name in values.words("first_names"))


def introduced(text: str, cast: Cast) -> tuple[Subject, ...]:
    """Return who is said to be called so: `my sister is called Anu`, `Luna is my cat`."""
    nameless = cast.last if cast.last and cast.last.entity == cast.last.kind else None
    if nameless and (match := pattern("pronoun_name").match(text)):
        return _people(nameless.entity, values.name(match["names"]))
    if not pattern("owner").search(text) or re.match(r"you\b", text, re.IGNORECASE):
        return ()
    for way in _INTRODUCTIONS:
        found = tuple(
            person
            for match in pattern(way).finditer(text)
            if not _HAD_BY_ANOTHER.search(text[: match.start()])
            for person in _people(match["kind"], values.names(match["names"]))
        )
        if found:
            return found
    return ()


def mentioned(text: str) -> tuple[Subject, ...]:
    """Return everybody called `my <relation> <Name>`, wherever it is."""
    found: list[Subject] = []
    for match in pattern("mention").finditer(text):
        names, kind = values.names(match["names"]), match["kind"]
        is_one = not match["plural"] and not kind.casefold().endswith("children")
        if is_one and len(names) > 1:
            names = () if match["comma"] else names[:1]
        found.extend(_people(kind, names))
    for match in pattern("mention_small").finditer(text):
        if match["name"] in values.words("first_names"):
            found.extend(_people(match["kind"], values.names(match["name"])))
    return tuple(found)


def referred(text: str) -> tuple[Subject, ...]:
    """Return whom `my <relation>` or `I got a cat` brings up, not by name."""
    found = pattern("relation_only").finditer(text)
    kinds = [relation(match["kind"], plural=bool(match["plural"])) for match in found]
    user = pattern("user").match(text)
    if user and (match := pattern("nameless").match(values.clean(user["rest"]))):
        kinds.append(relation(match["kind"]))
    return tuple(Subject(kind, kind) for kind in kinds)


def _people(kind: str, names: tuple[str, ...]) -> tuple[Subject, ...]:
    kind = relation(kind)
    return () if kind in _NOT_KEPT else tuple(Subject(name, kind) for name in names)


def gone(told: Told) -> Subject | None:
    """Return who has died or is lost: `my dad passed away`, `we lost our dog Rex`."""
    if told.subject != USER:
        sure = told.subject.kind and not told.pronoun and pattern("gone").match(told.rest)
        return told.subject if sure else None
    match = pattern("lost").match(told.rest)
    kind = relation(match["kind"]) if match else ""
    return Subject(match["name"] or kind, kind) if match else None


# — what the user owns and asks for —

_POSSESSIONS = [line.split("|") for line in lines("possessions")]
_FORGETTABLE = {noun: attribute for noun, attribute, _ in _POSSESSIONS}
_READERS: Mapping[str, Reader] = {
    noun: values.reader(name) for noun, _, name in _POSSESSIONS if name != "-"
}


def read_possession(text: str) -> tuple[Reading, ...]:
    """Return what `<noun> is <value>` states about the noun's owner."""
    match = pattern("is").match(text)
    if match is None:
        return ()
    noun = pattern("qualifier").sub("", match["noun"].casefold())
    value = re.sub(r"^(?:on|now|actually|in|currently|spelled) ", "", match["value"])
    if favourite := pattern("favourite").match(noun):
        return _favourite(favourite["thing"], value)
    if noun == "home" and match["value"].startswith("in "):
        return tuple(Reading("city", found) for found in values.city(value))
    read = _READERS.get(noun)
    return tuple(Reading(_FORGETTABLE[noun], found) for found in read(value)) if read else ()


def read_request(text: str) -> tuple[Reading, ...]:
    """Return what a request to the assistant, or a favourite named first, states or ends."""
    if match := pattern("is_favourite").match(text):
        return _favourite(match["thing"], match["value"])
    asked = (rule.readings(USER, Predicate(text)) for group in _REQUESTS for rule in group)
    if found := next(filter(None, asked), ()):
        return found
    match = pattern("forget").match(text)
    noun = match["v"].casefold().removeprefix("my ") if match else ""
    attribute = _FORGETTABLE.get(pattern("qualifier").sub("", noun))
    return (Reading(attribute, None, retracts=True),) if attribute else ()


def _favourite(thing: str, value: str) -> tuple[Reading, ...]:
    if set(thing.split(" ")) & values.words("not_favourites"):
        return ()
    named = re.sub(r"\bcolor\b", "colour", thing.casefold())
    attribute = "editor" if thing.endswith("editor") else f"favourite:{named}"
    return tuple(Reading(attribute, found) for found in values.title(value))


def wanted(text: str) -> str | None:
    """Return what is to be kept in `remember that the boiler code is 4711`."""
    match = pattern("keep").match(text)
    what = match["v"] if match else ""
    if pattern("not_kept").match(what) or pattern("second_person").search(what):
        return None
    return what if pattern("first_person").search(what) and what.count(" ") > 2 else None


_CORRECTIONS = ("spelled", "meant", "rather", "not_but", "but_not")


def corrected(text: str, told: Sequence[FactCandidate], *, hedged: bool) -> list[FactCandidate]:
    """Read `I meant 5, not 4`, given what was told; after `actually`, also `it's 5`."""
    for way in (*_CORRECTIONS, "bare") if hedged else _CORRECTIONS:
        if (match := pattern(way).match(text)) is None:
            continue
        right, wrong = match["new"], match.groupdict().get("old")
        named = [fact for fact in told if fact.attribute in {"name", "nickname"}]
        could = [fact for fact in told if _could_mean(fact.value or "", wrong, right)]
        meant = named if way == "spelled" else could
        if meant and right.casefold() not in values.words("not_names"):
            return with_value(meant[-1], right)
    return []


def _could_mean(value: str, wrong: str | None, right: str) -> bool:
    """Match the value called wrong; without one, a number corrects a number, a name a name."""
    if wrong is not None or not value:
        return wrong is not None and value.casefold() == wrong.casefold()
    is_digit, is_capital = value[0].isdigit(), value[0].isupper()
    is_birthday = bool(values.birthday(value)) == bool(values.birthday(right))
    return (is_digit, is_capital) == (right[0].isdigit(), right[0].isupper()) and is_birthday


# — all together —


def read_facts(texts: Sequence[str]) -> tuple[FactRead, ...]:
    """Read the facts of the last user message, in the order they were told.

    Of two values for one key, the later counts. The earlier messages only tell who `she` is and
    what is being corrected.
    """
    cast = Cast()
    found: list[FactRead] = []
    last: Subject | None = None
    for text in texts[-MOST_TEXTS:]:
        found = []
        if cast.last == last:
            cast = cast.without_pronoun()
        last = cast.last
        brought_up = referred(text[:LONGEST_MESSAGE]) if last is None else ()
        if len(brought_up) == 1:  # the only relation a message brings up, also in a question
            cast = cast.mention(*brought_up)
        hedged = bool(pattern("hedge").match(text))
        for clause in split_clauses(text):
            hedged = hedged or bool(pattern("hedge").match(clause.source))
            facts = corrected(clause.text, cast.told, hedged=hedged) or _facts_of(clause, cast)
            people = mentioned(clause.text)
            told = {fact.entity for fact in facts}
            facts += [_naming(person) for person in people if person.entity not in told]
            found.extend(FactRead(fact, clause.source) for fact in facts)
            subjects = [Subject(fact.entity, fact.entity_kind) for fact in facts]
            cast = cast.mention(*referred(clause.text), *people, *subjects)
            cast = replace(cast, told=(*cast.told, *facts))
    return _latest_per_key(found)


def _latest_per_key(found: Sequence[FactRead]) -> tuple[FactRead, ...]:
    latest: dict[str, FactRead] = {}
    for read in found:
        fact = read.candidate
        key = fact_key(fact) or f"{fact.entity}:{fact.attribute or fact.statement}"
        latest.pop(key, None)
        latest[key] = read
    return tuple(latest.values())


def _facts_of(clause: Clause, cast: Cast) -> list[FactCandidate]:
    """Read one clause, given who was told of before it."""
    text = clause.text
    forgets = pattern("forget").match(text)
    if forgets and (told := pattern("that_i").match(forgets["v"])):
        return [forgotten(fact) for fact in _stated(replace(clause, text=told["clause"]), cast)]
    if statement := wanted(text):
        kept = FactCandidate(statement=f"The user asked to remember: {statement}.")
        return _stated(replace(clause, text=statement), cast) or [kept]
    if readings := read_request(text):
        return [candidate(USER, reading) for reading in readings]
    return _stated(clause, cast)


def _stated(clause: Clause, cast: Cast) -> list[FactCandidate]:
    """Read what a clause states about the user and those close to them."""
    text = clause.text
    named = introduced(text, cast)
    facts = [_naming(person) for person in named]
    if clause.greeted and (match := pattern("greeted").match(text)):
        facts += [candidate(USER, Reading("name", own)) for own in values.name(match["name"])]
    if told := find_subject(text, cast, opens=clause.opens):
        if named and told.subject.entity == told.subject.kind:
            told = replace(told, subject=named[-1])
        facts += _predicated(told)
    return facts


def _predicated(told: Told) -> Iterator[FactCandidate]:
    if told.owned:
        yield from (candidate(told.subject, each) for each in read_possession(told.rest))
        return
    if lost := gone(told):
        yield losing(lost)
        return
    for part in split_predicates(told.rest):
        readings = read_predicate(told.subject, part)
        if told.shared:
            readings = tuple(each for each in readings if each.attribute.split(":")[0] in SHARED)
        yield from (candidate(told.subject, reading) for reading in readings)
        if not readings:
            return


def _naming(person: Subject) -> FactCandidate:
    return candidate(person, Reading("name", person.entity))
