"""Read the facts with keys that an English message states, by the table `data/facts.txt`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memory_graph.keys import PEOPLE, PETS, attribute_rule, fact_key
from memory_graph.language.english.values import SHAPES, bare, is_paid, name
from memory_graph.language.requests import to_forget
from memory_graph.language.sentences import split_sentences, supposes
from memory_graph.language.statements import USER, Subject, candidate, losing
from memory_graph.language.words import lines, listed
from memory_graph.records import FactCandidate, FactRead

LONGEST_MESSAGE = 6000
"""Characters; a longer message was pasted, and nothing is read from it."""
_MOST_TEXTS = 6
"""Messages looked at; older ones do not tell who `she` is."""

# — the table —

SYNONYMS: Mapping[str, str] = {
    other: kind
    for kind, _, others in (line.partition(": ") for line in lines("relations"))
    for other in others.split(", ")
}
"""Other words for a relation: `mom` is `mother`."""


class _Said(NamedTuple):
    """What a clause says after its subject, and whether that is so no longer."""

    rest: str
    of: frozenset[str]
    is_over: bool = False


class _Row(NamedTuple):
    """A line of the table: one way of stating an attribute."""

    attribute: str
    shape: str
    of: str
    pattern: re.Pattern[str]

    def read(self, subject: Subject, said: _Said) -> Iterator[FactCandidate]:
        """Yield what a predicate states by this line."""
        match = self.pattern.match(said.rest)
        if match is None or self.of not in said.of:
            return
        found = match.groupdict()
        if not is_paid(found.get("job")):
            return
        form, _, fixed = self.attribute.removeprefix("-").partition("=")
        is_named = form == "name" and subject != USER
        is_over = said.is_over or self.attribute.startswith("-")
        for value in SHAPES[self.shape](found.get("v") or ""):
            attribute = form.format((found.get("of") or value).replace("color", "colour"))
            about = Subject(value, subject.kind) if is_named else subject
            yield from _filed(about, attribute, fixed or value, retracts=is_over)


def _filed(
    subject: Subject, attribute: str, value: str, *, retracts: bool
) -> Iterator[FactCandidate]:
    """Yield the candidate; of a home the city and the country apart."""
    town, _, region = value.partition(", ")
    if attribute != "city":
        kept = None if retracts and ":" in attribute else value or None
        yield candidate(subject, attribute, kept, retracts=retracts)
    elif bare(town) in listed("countries"):
        yield candidate(subject, "country", town, retracts=retracts)
    elif bare(region) in listed("countries"):
        yield candidate(subject, "city", town, retracts=retracts)
        yield candidate(subject, "country", region, retracts=retracts)
    else:
        yield candidate(subject, "city", value, retracts=retracts)


_LINES = lines("facts")
_PARTS = dict(line[1:].split(" = ", 1) for line in _LINES if line.startswith("@"))
_PARTS["KIND"] = "|".join(sorted(PEOPLE | PETS | {*SYNONYMS}, key=len, reverse=True))


def _pattern(text: str) -> re.Pattern[str]:
    """Return a pattern with each `@PART` written out."""
    while "@" in text:
        text = re.sub("@([A-Z]+)", lambda part: f"(?:{_PARTS[part[1]]})", text)
    return re.compile(text)


_ROWS = tuple(
    _Row(attribute, shape, of, _pattern(way))
    for attribute, shape, of, way in (
        line.split(maxsplit=3) for line in _LINES if not line.startswith(("@", "!"))
    )
)
_MORE: Mapping[str, re.Pattern[str]] = {
    called: _pattern(way)
    for called, way in (line[1:].split(" = ", 1) for line in _LINES if line[0] == "!")
}
"""Patterns of the reader itself, by name."""

# — clauses and whom they are about —


@dataclass
class _Cast:
    """Who was mentioned so far, and who `she` is."""

    known: dict[str, Subject]
    last: Subject | None = None

    def mention(self, subject: Subject) -> None:
        """Remember somebody; the last one is who `she` is."""
        if subject != USER:
            self.known[subject.entity] = self.last = subject


def read_english(texts: Sequence[str]) -> tuple[FactRead, ...]:
    """Read the facts of the last user message; of two values for one key, the later counts.

    The earlier messages only tell who `she` is.
    """
    cast = _Cast({})
    latest: dict[str, FactRead] = {}
    for text in texts[-_MOST_TEXTS:]:
        latest, before = {}, cast.last
        for clause in _clauses(text):
            for fact in _stated(clause, cast):
                key = fact_key(fact) or f"{fact.entity}:{fact.attribute}"
                latest.pop(key, None)
                latest[key] = FactRead(fact, clause)
        if cast.last == before:
            cast.last = None
    return tuple(latest.values())


def _clauses(message: str) -> Iterator[str]:
    """Yield the statements of a message, without what is asked, supposed, quoted or dictated."""
    if len(message) > LONGEST_MESSAGE or _MORE["played"].search(message):
        return
    own = _MORE["foreign"].sub(" \0 ", message)
    if len(_MORE["document"].findall(own)) > 1:
        return
    for sentence in split_sentences(own):
        said = _MORE["reason"].match(sentence) if sentence.endswith("?") else None
        if (sentence.endswith("?") and not said) or supposes(sentence):
            continue
        if not _MORE["reported"].search(sentence):
            yield from map(str.strip, _MORE["seam"].split(said[1] if said else sentence))


def _stated(clause: str, cast: _Cast) -> Iterator[FactCandidate]:
    """Yield what a clause states about the user and those close to them."""
    wish = to_forget(clause)
    text = _plain(clause if wish is None else wish.removeprefix("that "))
    people = [*_introduced(text)]
    for each in _brought_up(text):
        cast.mention(each)
    facts = [] if "\0" in text else [*_predicated(text, cast, is_over=wish is not None)]
    if wish is not None and (unwanted := _MORE["unwanted"].match(text)):
        facts += _unwanted(unwanted)
    for each in (*people, *(Subject(fact.entity, fact.entity_kind) for fact in facts)):
        cast.mention(each)
    yield from facts
    named = {fact.entity for fact in facts}
    yield from (candidate(each, "name", each.entity) for each in people if each.entity not in named)


def _predicated(text: str, cast: _Cast, *, is_over: bool) -> Iterator[FactCandidate]:
    """Yield what the predicates of a clause state about its subject."""
    subject, rest, of = _subject(text, cast)
    if subject is None:
        return
    if subject != USER and _MORE["gone"].match(rest):
        yield losing(subject)
        return
    if subject == USER and (lost := _MORE["lost"].match(rest)):
        yield losing(Subject(lost["name"] or _kind(lost), _kind(lost)))
        return
    for part in _MORE["next"].split(rest):
        plain, denials = _MORE["over"].subn("", f" {part} ")
        said = _Said(" ".join(plain.split()), of, is_over or denials > 0)
        if denials:
            said = said._replace(rest=_MORE["not"].sub("", said.rest, count=1))
        read = [fact for row in _ROWS for fact in row.read(subject, said)]
        latest = {fact.attribute: fact for fact in reversed(read)}
        yield from reversed(latest.values())
        if not read:
            return


def _unwanted(match: re.Match[str]) -> Iterator[FactCandidate]:
    """Yield the end of what a wish to forget names by its attribute: `where I work`."""
    by_verb = {"live": "city", "work": "employer"}
    attribute = "age" if match["old"] else match["noun"] or by_verb[match["verb"]]
    if (rule := attribute_rule(attribute)) and rule.arity == "single":
        yield candidate(USER, attribute, None, retracts=True)


def _plain(clause: str) -> str:
    """Return a clause with its contractions written out, without openers, asides and adverbs."""
    text = clause.replace("’", "'")
    for short, _, long in (line.partition(" = ") for line in lines("contractions")):
        text = re.sub(short, long, text, flags=re.IGNORECASE)
    text = _MORE["adverb"].sub(" ", _MORE["opener"].sub("", text))
    text = " ".join(text.split()).strip(" ,.!")
    return f"I {text[0].lower()}{text[1:]}" if _MORE["elliptic"].match(text) else text


_NOT_KEPT = frozenset("client person doctor teacher landlord parent baby fish".split())
"""Relations whose names are not read: too often a company, a title or a thing."""
_FEMALE = frozenset("sister mother daughter wife girlfriend aunt niece grandmother".split())
_MALE = frozenset("brother father son husband boyfriend uncle nephew grandfather".split())


def _kind(match: re.Match[str]) -> str:
    """Return the plain word for a relation: `mom` is `mother`, `kids` are `kids`."""
    word = match["kind"].casefold()
    return SYNONYMS.get(word, word) + (match["plural"] or "")


def _introduced(text: str) -> Iterator[Subject]:
    """Yield who is said to be called so: `my sister Anu`, `a cat called Luna`, `Luna is my cat`."""
    for way in ("mention", "being", "called", "mine", "listed"):
        for match in _MORE[way].finditer(text):
            before = text[: match.start()]
            is_owned = way != "called" or _MORE["owner"].search(before)
            is_ours = is_owned and not _MORE["another"].search(before)
            kind = _kind(match).removesuffix("s")
            names = re.split(r", (?:and )?| and | & ", match["names"])
            named = [*map(name, names)]
            if is_ours and kind not in _NOT_KEPT and all(named):
                is_several = match["plural"] or kind in {"kid", "children", "twin"}
                yield from (Subject(each, kind) for (each,) in named[: None if is_several else 1])


def _brought_up(text: str) -> Iterator[Subject]:
    """Yield whom a clause mentions without a name, so that `she` can be them."""
    for match in _MORE["got"].finditer(text):
        yield Subject(_kind(match), _kind(match))


_USERS, _OURS, _OTHERS = (
    frozenset(each.split()) for each in ("user we any all", "we all", "other any all")
)
"""Of whom lines of the table may tell, by the subject: what `we` love is not all mine."""


def _subject(text: str, cast: _Cast) -> tuple[Subject | None, str, frozenset[str]]:
    """Return whom a clause is about, what it says of them, and which lines may read it."""
    if match := _MORE["user"].match(text):
        return USER, match["rest"], _OURS if match["who"].casefold() == "we" else _USERS
    if match := _MORE["related"].match(text):
        kind, names = _kind(match), name(match["name"] or "")
        if match["name"] and not names:
            return None, "", _OTHERS
        subject = Subject(names[0] if names else kind, kind)
        cast.mention(subject)
        return subject, match["rest"], _OTHERS
    if match := _MORE["own"].match(text):
        return USER, f"'s {match['rest']}", _USERS
    if match := _MORE["pronoun"].match(text):
        who = match["who"].casefold()
        owns = "'s " if who in {"his", "her", "their"} else ""
        return _meant(who, cast.last), f"{owns}{match['rest']}", _OTHERS
    match = _MORE["named"].match(text)
    known = cast.known.get(match["name"].title()) if match else None
    if match and (known or (name(match["name"]) and _MORE["news"].match(match["rest"]))):
        return known or Subject(match["name"].title()), match["rest"], _OTHERS
    return None, "", _OTHERS


def _meant(who: str, last: Subject | None) -> Subject | None:
    """Return whom a pronoun means: the last one mentioned, if it can be them."""
    kind = (last and last.kind) or ""
    is_several = kind.endswith("s") or kind == "children"
    if is_several != (who in {"they", "their"}):
        return None
    return None if kind in (_FEMALE if who in {"he", "his"} else _MALE) else last
