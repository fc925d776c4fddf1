"""Check what any model says a message states: drop with a reason, never add or rewrite."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memory_graph.keys import normalise
from memory_graph.language.mentions import names_in, shows_names, values_in
from memory_graph.language.words import language_of, words_of
from memory_graph.records import FactCandidate, MemoryDecision, SecretKind
from memory_graph.safety.own_voice import is_instruction
from memory_graph.safety.secrets import MASK, holds_secret, stated

CheckReason = Literal[
    "grounded",
    "sensitive",
    "instruction",
    "not_said",
    "unheard_number",
    "never_kept",
    "invalid_value",
]

REFUSALS: Mapping[str, str] = {
    "sensitive": "That is a secret (a password, a key, a card number), and secrets are not kept.",
    "instruction": "That is an instruction or a permission, not a fact about the user.",
    "not_said": "The user has not said that, and only what they said is remembered.",
    "never_kept": "That is about a topic that this assistant never keeps.",
    "invalid_value": "That is no value of the attribute.",
    "unheard_number": "The user has named no such number, and only what they said is remembered.",
}
"""Why a statement is not kept as a fact, as whoever wanted it kept is told."""

MEANING = 0.2
"""Cosine with the user's nearest sentence under which a statement was not said. Of 147 statements
that a strong model read .8 % lie below it, of those beside other messages 92 %.
"""

_STEM = 4
_SMALL = 12
"""Numbers up to it may be counted, or read off a clock, without being named."""

_COUNTED = frozenset({"number", "money", "percent"})
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_DATED = re.compile(r"\b\d{4}-\d\d(?:-\d\d)?\b|\b(?:19|20)\d\d\b")


@dataclass(frozen=True)
class Heard:
    """What a statement may rest on: the user's own words, and what stands beside them."""

    own: str
    """The message in the user's own voice: no quotations, no pasted text."""

    beside: str = ""
    """What was said before it, and the known facts that were shown: they name who `she` is."""

    others: str = ""
    """What is pasted or quoted in the message: nobody's words."""


def refusal_of(text: str, sensitive: Collection[SecretKind]) -> CheckReason | None:
    """Say why a text is nothing to keep, whoever says it."""
    if MASK in text or holds_secret(text, sensitive):
        return "sensitive"
    return "instruction" if is_instruction(text) else None


def check_statement(
    candidate: FactCandidate, heard: Heard, meaning: float, sensitive: Collection[SecretKind]
) -> CheckReason:
    """Say whether the user said what a candidate states, and why it is dropped if not.

    A statement may be translated, rewritten and dated: it rests on the names and numbers that were
    named, and on meaning or words of the message itself. `meaning` is the cosine of its vector
    with that of the nearest of the user's sentences.
    """
    said = stated(candidate)
    if refused := refusal_of(said, sensitive):
        return refused
    if not _knows_names(candidate, heard):
        return "not_said"
    if _unheard_numbers(said, heard):
        return "unheard_number"
    words = _stems(candidate.statement)
    shares = words & _stems(heard.own)
    theirs = words & _stems(heard.others) - _stems(f"{heard.own} {heard.beside}")
    if theirs and len(theirs) >= len(shares):
        return "not_said"
    return "grounded" if meaning >= MEANING or shares else "not_said"


def _knows_names(candidate: FactCandidate, heard: Heard) -> bool:
    """Say whether most of the names in a statement were named, and whom it is about among them.

    A country that is added to a city does no harm.
    """
    known = _stems(f"{heard.own} {heard.beside}")
    owner = _stems(candidate.entity) - _stems(candidate.entity_kind or "") - {"user"}
    if owner and not owner & known:
        return False
    if not shows_names(language_of(candidate.statement)):
        return True
    names = _stems(" ".join(names_in(candidate.statement)))
    return len(names - known) <= len(names & known)


def _unheard_numbers(statement: str, heard: Heard) -> set[str]:
    """Return the numbers of a statement that nobody named; dates are derived from the day."""
    named = f"{heard.own} {heard.beside}"
    known = {each.value for each in values_in(named)} | {*_DIGITS.findall(named)}
    bare = {re.sub(r"\D", "", each) for each in known}
    told = values_in(_DATED.sub(" ", statement))
    return {
        each.value
        for each in told
        if each.kind in _COUNTED and each.value not in known
        if (digits := re.sub(r"\D", "", each.value)) not in bare and int(digits or 0) > _SMALL
    }


def _stems(text: str) -> set[str]:
    """Return the beginnings of the words that say something, names and numbers among them."""
    return {
        normalise(word)[:_STEM] for word in (*words_of(text), *names_in(text)) if len(word) > 1
    } - {""}


def skipped(reasons: Sequence[CheckReason]) -> tuple[MemoryDecision, ...]:
    """Return a decision for each reason for which something was dropped, with how much was."""
    return tuple(
        MemoryDecision(
            kind="fact",
            action="skip",
            reason=reason,
            scores={"candidates": float(reasons.count(reason))},
        )
        for reason in dict.fromkeys(reasons)
    )
