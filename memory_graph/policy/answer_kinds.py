"""What kind of thing does a question ask for, and by which words is such a thing named?"""

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class AnswerKind:
    """A kind of thing that is asked for by set phrases and named by a few words."""

    asked: re.Pattern[str]
    words: frozenset[str]
    digits: re.Pattern[str]
    """Numbers, written in digits, that name one too."""


TIME: Final = AnswerKind(
    asked=re.compile(
        r"\b(?:when|how long ago|(?:what|which) (?:year|date|day|month|week|time))\b", re.IGNORECASE
    ),
    words=frozenset(
        """
        ago afternoon april august autumn birthday christmas daily day december earlier evening
        february friday january july june lately march monday month morning night november october
        recently saturday september soon spring summer sunday thursday today tomorrow tonight
        tuesday wednesday week weekend winter year yesterday
        """.split()
    ),
    digits=re.compile(r"(?:19|20)\d\d"),
)
NUMBER: Final = AnswerKind(
    asked=re.compile(
        r"\bhow (?:many|much|old|long|often|far|tall|big|fast)\b(?! ago)", re.IGNORECASE
    ),
    words=frozenset(
        """
        couple double dozen eight eleven fifty first five forty four half hundred million nine one
        second seven several six ten third thirty thousand three twelve twenty twice two
        """.split()
    ),
    digits=re.compile(r"\d+"),
)


def kinds_asked(question: str) -> tuple[AnswerKind, ...]:
    """Return the kinds of thing that would answer a question; none where anything might."""
    return tuple(kind for kind in (TIME, NUMBER) if kind.asked.search(question))
