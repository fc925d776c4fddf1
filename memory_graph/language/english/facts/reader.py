"""Read the facts with keys that an English message states."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memory_graph.keys import fact_key
from memory_graph.language.english.facts import people, phrases
from memory_graph.language.english.facts.people import Cast, Told
from memory_graph.language.english.facts.phrases import Reader, lines, pattern
from memory_graph.language.english.facts.rules import (
    USER,
    Reading,
    Subject,
    candidate,
    forgotten,
    losing,
    naming,
    read_predicate,
    remembered,
    split_predicates,
    with_told_value,
    with_value,
)
from memory_graph.records import FactCandidate, FactRead

LONGEST_MESSAGE = 6000
"""Characters; a longer message was pasted, and nothing is read from it."""
LONGEST_SENTENCE = 500
"""Characters; a longer sentence has no grammar that rules could follow."""
MOST_CLAUSES = 60
"""Bounds the time one message may take."""
_HOLE = "\0"
"""Stands for every character of foreign text, so that positions stay those of the message."""


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


_POSSESSIONS = [line.split("|") for line in phrases.lines("possessions")]
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


def wanted(text: str) -> str | None:
    """Return what is to be kept in `remember that the boiler code is 4711`."""
    match = pattern("keep").match(text)
    if (
        match is None
        or pattern("not_kept").match(match["v"])
        or pattern("second_person").search(match["v"])
    ):
        return None
    said = pattern("first_person").search(match["v"]) and match["v"].count(" ") > 2
    return match["v"] if said else None


def _forgotten(text: str) -> tuple[Reading, ...]:
    match = pattern("forget").match(text)
    noun = match["v"].casefold().removeprefix("my ") if match else ""
    attribute = _FORGETTABLE.get(pattern("qualifier").sub("", noun))
    if favourite := pattern("favourite").match(noun):
        attribute = f"favourite:{_british(favourite['thing'])}"
    return (Reading(attribute, None, retracts=True),) if attribute else ()


def _favourite(thing: str, value: str) -> tuple[Reading, ...]:
    if set(thing.split(" ")) & phrases.words("not_favourites"):
        return ()
    attribute = "editor" if thing.endswith("editor") else f"favourite:{_british(thing)}"
    return tuple(Reading(attribute, found) for found in phrases.title(value))


def _british(thing: str) -> str:
    return re.sub(r"\bcolor\b", "colour", thing.casefold())


_CORRECTIONS = tuple(map(pattern, ("meant", "rather", "not_but", "but_not")))


def corrected(
    text: str, told: Sequence[FactCandidate], *, hedged: bool
) -> tuple[FactCandidate, str] | None:
    """Return the fact a clause corrects, and its value; after `actually`, so does `it's 5`."""
    if match := pattern("spelled").match(text):
        named = [fact for fact in told if fact.attribute in {"name", "nickname"}]
        return (named[-1], match["new"]) if named else None
    patterns = (*_CORRECTIONS, pattern("bare")) if hedged else _CORRECTIONS
    for match in filter(None, (each.match(text) for each in patterns)):
        right, wrong = match["new"], match.groupdict().get("old")
        meant = [fact for fact in told if _could_mean(fact.value or "", wrong, right)]
        if meant and right.casefold() not in phrases.words("not_names"):
            return meant[-1], right
    return None


def resolve_it(text: str, told: Sequence[FactCandidate]) -> str:
    """Replace `it` by the last thing somebody liked or hated: `now I love it`."""
    tastes = [fact.attribute for fact in told if (fact.attribute or "").startswith("taste:")]
    if not tastes:
        return text
    thing = (tastes[-1] or "").partition(":")[2]
    return pattern("tasted_it").sub(lambda match: f"{match['verb']} {thing}", text)


def _could_mean(value: str, wrong: str | None, right: str) -> bool:
    """Match the value called wrong; without one, a number corrects a number, a name a name."""
    if wrong is not None or not value:
        return wrong is not None and value.casefold() == wrong.casefold()
    is_digit, is_capital = value[0].isdigit(), value[0].isupper()
    is_birthday = bool(phrases.birthday(value)) == bool(phrases.birthday(right))
    return (is_digit, is_capital) == (right[0].isdigit(), right[0].isupper()) and is_birthday


MOST_TEXTS = 6
"""Messages looked at; older ones correct and refer to nothing."""
SHARED = frozenset({"city", "country", "relationship_status", "children", "diet", "has"})
"""Attributes that `we` may state of the user."""


@dataclass(frozen=True)
class _Known:
    """What was told and who was mentioned before a clause."""

    told: tuple[FactCandidate, ...] = ()
    cast: Cast = field(default_factory=Cast)


def read_facts(texts: Sequence[str]) -> tuple[FactRead, ...]:
    """Read the facts of the last user message, in the order they were told.

    Of two values for one key, the later counts. The earlier messages only tell who `she` is and
    what is being corrected.
    """
    known = _Known()
    found: list[FactRead] = []
    last: Subject | None = None
    for text in texts[-MOST_TEXTS:]:
        found = []
        if known.cast.last == last:
            known = replace(known, cast=known.cast.without_pronoun())
        last = known.cast.last
        referred = people.referred(text[:LONGEST_MESSAGE]) if last is None else ()
        if len(referred) == 1:  # the only relation a message brings up, also in a question
            known = replace(known, cast=known.cast.mention(*referred))
        hedged = bool(pattern("hedge").match(text))
        for clause in split_clauses(text):
            hedged = hedged or bool(pattern("hedge").match(clause.source))
            told = resolve_it(clause.text, [read.candidate for read in found])
            facts, known = _read_clause(replace(clause, text=told), known, hedged=hedged)
            found.extend(FactRead(fact, clause.source) for fact in facts)
    return _latest_per_key(found)


def _read_clause(
    clause: Clause, known: _Known, *, hedged: bool
) -> tuple[list[FactCandidate], _Known]:
    facts = _facts_of(clause, known, hedged=hedged)
    mentioned = people.mentioned(clause.text)
    told = {fact.entity for fact in facts}
    facts += [naming(person) for person in mentioned if person.entity not in told]
    subjects = [Subject(fact.entity, fact.entity_kind) for fact in facts]
    cast = known.cast.mention(*people.referred(clause.text), *mentioned, *subjects)
    return facts, _Known((*known.told, *facts), cast)


def _facts_of(clause: Clause, known: _Known, *, hedged: bool) -> list[FactCandidate]:
    """Read one clause, given who and what was told before it."""
    text = clause.text
    if correction := corrected(text, known.told, hedged=hedged):
        return list(with_value(*correction))
    forgets = pattern("forget").match(text)
    if forgets and (told := pattern("that_i").match(forgets["v"])):
        return [forgotten(fact) for fact in _stated(replace(clause, text=told["clause"]), known)]
    if statement := wanted(text):
        kept = replace(clause, text=statement)
        return _stated(kept, known) or [remembered(statement)]
    if readings := read_request(text):
        return [candidate(USER, reading) for reading in readings]
    return _stated(clause, known)


def _stated(clause: Clause, known: _Known) -> list[FactCandidate]:
    """Read what a clause states about the user and those close to them."""
    text = clause.text
    named = people.introduced(text, known.cast)
    facts = [naming(person) for person in named]
    if clause.greeted and (match := pattern("greeted").match(text)):
        facts += [candidate(USER, Reading("name", own)) for own in phrases.name(match["name"])]
    facts += [candidate(who, Reading("age", years)) for who, years in people.aged(text)]
    if told := people.find_subject(text, known.cast, opens=clause.opens):
        if named and told.subject.entity == told.subject.kind:
            told = replace(told, subject=named[-1])
        facts += [with_told_value(fact, known.told) for fact in _predicated(told)]
    return facts


def _predicated(told: Told) -> Iterator[FactCandidate]:
    if told.owned:
        yield from (candidate(told.subject, each) for each in read_possession(told.rest))
        return
    if lost := people.gone(told):
        yield losing(lost)
        return
    for part in split_predicates(told.rest):
        readings = read_predicate(told.subject, part)
        if told.shared:
            readings = tuple(each for each in readings if each.attribute.split(":")[0] in SHARED)
        yield from (candidate(told.subject, reading) for reading in readings)
        if not readings:
            return


def _latest_per_key(found: Iterable[FactRead]) -> tuple[FactRead, ...]:
    latest: dict[str, FactRead] = {}
    for read in found:
        fact = read.candidate
        key = fact_key(fact) or f"{fact.entity}:{fact.attribute or fact.statement}"
        latest.pop(key, None)
        latest[key] = read
    return tuple(latest.values())
