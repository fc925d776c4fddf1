"""What is one row of the table of statements, and what does it read in a predicate?"""

import re
from dataclasses import dataclass
from typing import Literal

from memory_graph.llm.offline.statements.predicates import Predicate
from memory_graph.llm.offline.statements.values import Reader, clean, phrase

Told = Literal["either", "ended", "denied"]
"""`either`: stated, or ended by a denial. `ended`: the words themselves end it (`I left Acme`).
`denied`: only a denial counts (`I am not at Acme any more`)."""


@dataclass(frozen=True)
class Reading:
    """One attribute with its value, as a statement gave or took it."""

    attribute: str
    value: str | None
    retracts: bool = False


@dataclass(frozen=True)
class Pattern:
    """One way of stating an attribute."""

    attribute: str
    """May hold `{}` for the captured phrase: `taste:{}`; the value is then `yes` or `no`."""

    regex: re.Pattern[str]
    read: Reader
    yes: str | None = None
    no: str | None = None
    """The value a denial gives; without it, a denial retracts."""

    told: Told = "either"

    def readings(self, predicate: Predicate) -> tuple[Reading, ...]:
        """Return what the predicate states by this pattern, if anything."""
        match = self.regex.fullmatch(predicate.text)
        if match is None or (self.told == "denied" and not predicate.negated):
            return ()
        groups = match.groupdict()
        found = self.read(groups["v"]) if "v" in groups else ("",)
        if rival := groups.get("rival"):
            return tuple(_choice(value, rival, predicate.negated) for value in found)
        return tuple(self._reading(value, predicate) for value in found)

    def _reading(self, captured: str, predicate: Predicate) -> Reading:
        attribute = self.attribute.format(captured)
        over = predicate.negated or predicate.lapsed
        if self.yes is None:
            return Reading(attribute, captured or None, retracts=over or self.told == "ended")
        if not over:
            return Reading(attribute, self.yes)
        answer = self.no if predicate.negated else None
        return Reading(attribute, answer, retracts=answer is None)


def stating(attribute: str, regex: str, read: Reader = phrase) -> Pattern:
    """Write a row: the regex group `v` captures the value."""
    return Pattern(attribute, re.compile(regex, re.IGNORECASE), read)


def answering(attribute: str, regex: str, read: Reader, *, yes: str, no: str | None) -> Pattern:
    """Write a row whose value is a fixed answer about the captured phrase."""
    return Pattern(attribute, re.compile(regex, re.IGNORECASE), read, yes, no)


def ending(attribute: str, regex: str, read: Reader = phrase) -> Pattern:
    """Write a row for words that end a fact."""
    return Pattern(attribute, re.compile(regex, re.IGNORECASE), read, told="ended")


def denying(attribute: str, regex: str, read: Reader = phrase) -> Pattern:
    """Write a row that only counts when denied, because stated it may be passing."""
    return Pattern(attribute, re.compile(regex, re.IGNORECASE), read, told="denied")


def _choice(chosen: str, rival: str, negated: bool) -> Reading:
    """File a preference under both alternatives, so that changing one's mind finds it."""
    pair = " or ".join(sorted((chosen, clean(rival)), key=str.casefold))
    return Reading(f"choice:{pair}", chosen, retracts=negated)
