"""Read the facts with keys that an English message states."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from memory_graph.keys import fact_key
from memory_graph.language.english.facts import phrases
from memory_graph.language.english.facts.phrases import Reader, lines, pattern, relation
from memory_graph.language.english.facts.rules import (
    USER,
    Reading,
    Subject,
    candidate,
    forgotten,
    losing,
    read_predicate,
    split_predicates,
    with_value,
)
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
    return phrases.is_name(name) and (name[0].isupper() or name in phrases.words("first_names"))


def introduced(text: str, cast: Cast) -> tuple[Subject, ...]:
    """Return who is said to be called so: `my sister is called Anu`, `Luna is my cat`."""
    nameless = cast.last if cast.last and cast.last.entity == cast.last.kind else None
    if nameless and (match := pattern("pronoun_name").match(text)):
        return _people(nameless.entity, phrases.name(match["names"]))
    if not pattern("owner").search(text) or re.match(r"you\b", text, re.IGNORECASE):
        return ()
    for way in _INTRODUCTIONS:
        found = tuple(
            person
            for match in pattern(way).finditer(text)
            if not _HAD_BY_ANOTHER.search(text[: match.start()])
            for person in _people(match["kind"], phrases.names(match["names"]))
        )
        if found:
            return found
    return ()


def mentioned(text: str) -> tuple[Subject, ...]:
    """Return everybody called `my <relation> <Name>`, wherever it is."""
    found: list[Subject] = []
    for match in pattern("mention").finditer(text):
        names, kind = phrases.names(match["names"]), match["kind"]
        is_one = not match["plural"] and not kind.casefold().endswith("children")
        if is_one and len(names) > 1:
            names = () if match["comma"] else names[:1]
        found.extend(_people(kind, names))
    for match in pattern("mention_small").finditer(text):
        if match["name"] in phrases.words("first_names"):
            found.extend(_people(match["kind"], phrases.names(match["name"])))
    return tuple(found)


def referred(text: str) -> tuple[Subject, ...]:
    """Return whom `my <relation>` or `I got a cat` brings up, not by name."""
    found = pattern("relation_only").finditer(text)
    kinds = [relation(match["kind"], plural=bool(match["plural"])) for match in found]
    user = pattern("user").match(text)
    if user and (match := pattern("nameless").match(phrases.clean(user["rest"]))):
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
    noun: getattr(phrases, reader) for noun, _, reader in _POSSESSIONS if reader != "-"
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
        return tuple(Reading("city", found) for found in phrases.city(value))
    read = _READERS.get(noun)
    return tuple(Reading(_FORGETTABLE[noun], found) for found in read(value)) if read else ()


def read_request(text: str) -> tuple[Reading, ...]:
    """Return what a request to the assistant, or a favourite named first, states or ends."""
    if match := pattern("call_me").match(text):
        return tuple(Reading("nickname", name) for name in phrases.called(match["v"]))
    if match := pattern("do_not_call_me").match(text):
        return tuple(Reading("nickname", name, retracts=True) for name in phrases.name(match["v"]))
    if match := pattern("not_my_name").match(text):
        return tuple(Reading("name", name) for name in phrases.name(match["new"]))
    if match := pattern("is_favourite").match(text):
        return _favourite(match["thing"], match["value"])
    if match := pattern("answers").match(text):
        style = (match["after"] or match["before"] or "").casefold()
        return (Reading("answer_style", style),) if style else ()
    match = pattern("answer_in").match(text)
    found = phrases.languages(match["v"]) if match else ()
    return tuple(Reading("answer_language", language) for language in found) or _forgotten(text)


def _forgotten(text: str) -> tuple[Reading, ...]:
    match = pattern("forget").match(text)
    noun = match["v"].casefold().removeprefix("my ") if match else ""
    attribute = _FORGETTABLE.get(pattern("qualifier").sub("", noun))
    return (Reading(attribute, None, retracts=True),) if attribute else ()


def _favourite(thing: str, value: str) -> tuple[Reading, ...]:
    if set(thing.split(" ")) & phrases.words("not_favourites"):
        return ()
    named = re.sub(r"\bcolor\b", "colour", thing.casefold())
    attribute = "editor" if thing.endswith("editor") else f"favourite:{named}"
    return tuple(Reading(attribute, found) for found in phrases.title(value))


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
        if meant and right.casefold() not in phrases.words("not_names"):
            return with_value(meant[-1], right)
    return []


def _could_mean(value: str, wrong: str | None, right: str) -> bool:
    """Match the value called wrong; without one, a number corrects a number, a name a name."""
    if wrong is not None or not value:
        return wrong is not None and value.casefold() == wrong.casefold()
    is_digit, is_capital = value[0].isdigit(), value[0].isupper()
    is_birthday = bool(phrases.birthday(value)) == bool(phrases.birthday(right))
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
        facts += [candidate(USER, Reading("name", own)) for own in phrases.name(match["name"])]
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
