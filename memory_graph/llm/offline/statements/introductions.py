"""Does a statement introduce somebody by name: `I have a cat called Luna`?"""

import re

from memory_graph.llm.offline.statements.names import capitalised_name, own_name, person_names
from memory_graph.llm.offline.statements.predicates import split_predicates
from memory_graph.llm.offline.statements.subjects import (
    NAME,
    RELATIONS,
    USER,
    Subject,
    Told,
    relation,
)
from memory_graph.llm.offline.statements.values import clean

_GOT = r"(?:have|has|got|adopted|have adopted|bought|rescued|own|have got|had)"
_CALLED = re.compile(
    rf"\b(?P<kind>{RELATIONS})s?,? (?:called|named|whose name is|by the name of) "
    r"(?P<names>.+?)(?=\s+and (?:an? |another )|,?\s+who\b|$)",
    re.IGNORECASE,
)
_LISTED = re.compile(
    rf"\b(?P<kind>{RELATIONS})s?, (?P<names>(?-i:[A-Z])\w+(?:(?:, | and )(?-i:[A-Z])\w+)*)$",
    re.IGNORECASE,
)
_GETTING = re.compile(rf"^(?:just |also |recently )?{_GOT}\b", re.IGNORECASE)
_BEING = re.compile(r"^(?:is|are|was)(?: (?P<called>called|named))? (?P<names>.+)$", re.IGNORECASE)
_NAME_IS = re.compile(r"^name is (?:actually |spelled )?(?P<names>.+)$", re.IGNORECASE)
_CHILDREN = re.compile(
    r"^(?:the|my|our) (?:kids|children) are (?:called|named) (?P<names>.+)$", re.I
)
_UNNAMED = re.compile(
    rf"^(?:(?:have )?got|have|own|adopted|bought|rescued) (?:an? |another )(?:new |old |little |"
    rf"lovely |big )*(?P<kind>(?:twin |step)?(?:{RELATIONS}))$",
    re.IGNORECASE,
)
_LOST = re.compile(
    rf"^(?:have |had to )?(?:lost|put down|put|buried) (?:my|"
    rf"our) (?P<kind>{RELATIONS}) (?P<name>{NAME})\b"
)
_NOT_CALLED = re.compile(rf",? not (?P<name>{NAME})$")
_NAMED_OURS = re.compile(
    rf"^(?:have )?(?:named|called) (?:my|our) (?:new )?(?P<kind>{RELATIONS}) (?P<names>{NAME})$",
    re.IGNORECASE,
)
_IS_MINE = re.compile(rf"^(?P<name>{NAME}) is (?:my|our) (?P<kind>{RELATIONS})$")
_AGED = re.compile(r"\b(?P<age>\d{1,2})[- ]years?[- ]old\b")
_WHO = re.compile(r"\bwho (?P<rest>(?:is|was|has|lives|works|loves|speaks|likes|hates) .+)$")


def introduced(told: Told) -> tuple[Subject, ...]:
    """Return who is introduced by name in what was told."""
    if told.subject == USER:
        if match := _NAMED_OURS.match(told.rest):
            return (Subject(match["names"], relation(match["kind"])),)
        parts = split_predicates(told.rest)
        return tuple(who for part in parts if _GETTING.match(part) for who in _named_in(part))
    if told.subject.entity != told.subject.kind:
        return ()
    return tuple(Subject(name, told.subject.kind) for name in _given_names(told))


def presented(clause: str) -> tuple[Subject, ...]:
    """Return who is presented in `the kids are called Max and Nora` or `Luna is my cat`."""
    if match := _CHILDREN.match(clause):
        return tuple(Subject(name, "child") for name in person_names(match["names"]))
    match = _IS_MINE.match(clause)
    return (Subject(match["name"], relation(match["kind"])),) if match else ()


def relative_clause(rest: str) -> str | None:
    """Return what is told of somebody just introduced: `a son named Max who is 3`."""
    if match := _WHO.search(rest):
        return match["rest"]
    match = _AGED.search(rest)
    return f"is {match['age']}" if match else None


def acquired(told: Told) -> tuple[Subject, ...]:
    """Return whom `I have a new boyfriend` brings up, not yet by name."""
    match = _UNNAMED.match(clean(told.rest)) if told.subject == USER else None
    kind = relation(match["kind"]) if match else ""
    return (Subject(kind, kind),) if kind else ()


def struck_out(told: Told) -> tuple[Subject, ...]:
    """Return who is gone, or never was: `we lost our dog Rex`, `called Miso, not Mizo`."""
    if match := _LOST.match(told.rest):
        return (Subject(match["name"], relation(match["kind"])),)
    match = _NOT_CALLED.search(told.rest) if told.subject != USER else None
    return (Subject(match["name"], told.subject.kind),) if match else ()


def _named_in(rest: str) -> tuple[Subject, ...]:
    found = [*_CALLED.finditer(rest)] or [*_LISTED.finditer(rest)]
    return tuple(
        Subject(name, relation(match["kind"]))
        for match in found
        for name in person_names(match["names"])
    )


def _given_names(told: Told) -> tuple[str, ...]:
    if told.form == "possession":
        match = _NAME_IS.match(told.rest)
        return own_name(match["names"]) if match else ()
    match = _BEING.match(told.rest)
    if match is None:
        return ()
    return person_names(match["names"]) if match["called"] else capitalised_name(match["names"])
