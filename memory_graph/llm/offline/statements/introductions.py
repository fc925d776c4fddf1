"""Does a statement introduce somebody by name: `I have a cat called Luna`?"""

import re

from memory_graph.llm.offline.statements.patterns import Reading
from memory_graph.llm.offline.statements.subjects import RELATIONS, USER, Subject, Told, relation
from memory_graph.llm.offline.statements.values import capitalised_name, person_names

_GOT = r"(?:have|has|got|adopted|have adopted|bought|rescued|own|have got|had)"
_CALLED = re.compile(
    rf"\b(?P<kind>{RELATIONS})s?,? (?:called|named|whose name is|by the name of) "
    r"(?P<names>.+?)(?=\s+and (?:an? |another )|$)",
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
    rf"^(?:have|own) (?:an? |another )(?P<kind>(?:\w+ )?(?:{RELATIONS}))$", re.IGNORECASE
)


def introduced(told: Told) -> tuple[Subject, ...]:
    """Return who is introduced by name in what was told."""
    if told.subject == USER:
        return _acquired(told.rest) if _GETTING.match(told.rest) else ()
    if told.subject.entity != told.subject.kind:
        return ()
    return tuple(Subject(name, told.subject.kind) for name in _given_names(told))


def introduced_children(clause: str) -> tuple[Subject, ...]:
    """Return the children in `the kids are called Max and Nora`."""
    match = _CHILDREN.match(clause)
    return tuple(Subject(name, "child") for name in person_names(match["names"])) if match else ()


def read_unnamed(predicate: str, negated: bool) -> tuple[Reading, ...]:
    """Return what `have a dog` states; a denial ends it."""
    match = _UNNAMED.match(predicate)
    if match is None:
        return ()
    attribute = f"has:{match['kind'].casefold()}"
    return (Reading(attribute, None if negated else "yes", retracts=negated),)


def _acquired(rest: str) -> tuple[Subject, ...]:
    found = [*_CALLED.finditer(rest)] or [*_LISTED.finditer(rest)]
    return tuple(
        Subject(name, relation(match["kind"]))
        for match in found
        for name in person_names(match["names"])
    )


def _given_names(told: Told) -> tuple[str, ...]:
    if told.form == "possession":
        match = _NAME_IS.match(told.rest)
        return person_names(match["names"]) if match else ()
    match = _BEING.match(told.rest)
    if match is None:
        return ()
    return person_names(match["names"]) if match["called"] else capitalised_name(match["names"])
