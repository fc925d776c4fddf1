"""What does `I meant 5, not 4` correct among the facts told just before?"""

import re
from collections.abc import Sequence

from memory_graph.records import FactCandidate

_MEANT = re.compile(
    r"^(?:I (?:meant|mean)|it is|it was|that is|should be|make that)(?: to (?:say|write))? "
    r"(?P<new>[\w/' -]+?)(?:,? (?:and )?not (?P<old>[\w/' -]+))?$",
    re.IGNORECASE,
)
_SPELLED = re.compile(
    r"^(?:it is|that is|my name is|it's) (?:actually )?(?:spelled|spelt|written) (?P<new>[\w'-]+)",
    re.IGNORECASE,
)
_TASTED_IT = re.compile(r"\b(?P<verb>love|like|enjoy|hate) (?:it|them)(?: now)?$", re.IGNORECASE)


def corrected(clause: str, told: Sequence[FactCandidate]) -> tuple[FactCandidate, str] | None:
    """Return the fact a clause corrects, and its right value."""
    if match := _SPELLED.match(clause):
        names = [fact for fact in told if fact.attribute in {"name", "nickname"}]
        return (names[-1], match["new"]) if names else None
    if match := _MEANT.match(clause):
        wrong = match["old"]
        targets = [fact for fact in told if wrong is None or _says(fact, wrong)]
        sure = wrong is not None or clause.casefold().startswith(("i mean", "make that"))
        return (targets[-1], match["new"]) if targets and sure else None
    return None


def resolve_it(clause: str, told: Sequence[FactCandidate]) -> str:
    """Replace `it` by the last thing somebody liked or hated: `now I love it`."""
    tastes = [fact for fact in told if (fact.attribute or "").startswith("taste:")]
    if not tastes:
        return clause
    thing = (tastes[-1].attribute or "").partition(":")[2]
    return _TASTED_IT.sub(lambda match: f"{match['verb']} {thing}", clause)


def _says(fact: FactCandidate, value: str) -> bool:
    return fact.value is not None and fact.value.casefold() == value.casefold()
