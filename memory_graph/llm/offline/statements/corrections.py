"""What does `I meant 5, not 4` correct among the facts told just before?"""

import re
from collections.abc import Sequence

from memory_graph.records import FactCandidate

_MEANT = re.compile(
    r"^(?:(?:I (?:meant|mean)|make that)(?: to (?:say|"
    r"write))? (?P<new>[\w/' -]+?)(?:,? (?:and )?not (?P<old>[\w/' -]+))?|"
    r"(?:it is|it was|that is|should be) (?P<is>[\w/' -]+?),? not (?P<is_not>[\w/' -]+))$",
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
    match = _MEANT.match(clause)
    if match is None:
        return None
    right, wrong = match["new"] or match["is"], match["old"] or match["is_not"]
    targets = [fact for fact in told if _could_mean(fact.value or "", wrong, right)]
    return (targets[-1], right) if targets else None


def resolve_it(clause: str, told: Sequence[FactCandidate]) -> str:
    """Replace `it` by the last thing somebody liked or hated: `now I love it`."""
    tastes = [fact for fact in told if (fact.attribute or "").startswith("taste:")]
    if not tastes:
        return clause
    thing = (tastes[-1].attribute or "").partition(":")[2]
    return _TASTED_IT.sub(lambda match: f"{match['verb']} {thing}", clause)


def _could_mean(value: str, wrong: str | None, right: str) -> bool:
    """Match the value called wrong; without one, a number corrects a number, a name a name."""
    if wrong is not None:
        return value.casefold() == wrong.casefold()
    return bool(value) and _shape(value) == _shape(right)


def _shape(value: str) -> tuple[bool, bool]:
    return value[0].isdigit(), value[0].isupper()
