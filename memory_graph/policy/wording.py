"""Which words of a question are worth searching for, and whose words does it ask about?"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

STOP_WORDS = frozenset(
    # Function words, contractions without their apostrophe, and the words questions are made of.
    """
    a about above after again against all also am an and any are aren arent as at be because
    been before being below between both but by can cannot cant could couldn couldnt d did didn
    didnt do does doesn doesnt doing don dont down during each else etc ever few for from
    further had hadn hadnt has hasn hasnt have haven havent having he her here hers herself hes
    him himself his how however i id if ill im in into is isn isnt it its itself ive just let
    lets ll m ma may me might more most much must my myself need no nor not now of off on once
    only onto or other ought our ours ourselves out over own per quite rather re really s same
    shall shan she shes should shouldn shouldnt since so some such t than that thats the their
    theirs them themselves then there theres these they theyre theyve this those though through
    to too under until up upon us ve very was wasn wasnt we were weren werent weve what whats
    when where wheres whether which while who whom whos whose why will with within without won
    wont would wouldn wouldnt yes yet you youd youll your youre yours yourself yourselves youve
    """.split()
)

_ANSWER_BEFORE = re.compile(
    r"\b(?:did you|you (?:\w+ )?(?:advised|explained|gave|listed|mentioned|proposed|recommended"
    r"|said|shared|suggested|told|wrote))\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def without_names(text: str, names: Iterable[str]) -> str:
    """Return a query without the names of those who speak.

    A name says whose words are wanted, not what they are about: in an embedding it pulls
    towards greetings. A query made of nothing else comes back as it is.
    """
    parts = {part for name in names for part in name.casefold().split()}
    if not parts:
        return text
    kept = _WORD.sub(lambda word: "" if _owner(word[0]) in parts else word[0], text)
    return " ".join(kept.split()) if _WORD.search(kept) else text


@dataclass(frozen=True, kw_only=True)
class Voices:
    """Who speaks in a namespace, by the names their words are stored under."""

    participants: tuple[str, ...] = ()
    asker: str | None = None
    """Whom `I` means in a query."""

    answerer: str | None = None
    """Whom `you` means."""


def speaker_asked(text: str, voices: Voices) -> str | None:
    """Return whose words a query asks for, or nothing when it does not say.

    A name counts before a pronoun; with two names, nobody's words come first. Without
    either, the asker's own come first: what they told, not what was answered.
    """
    said = {_owner(word) for word in _WORD.findall(text)}
    named = [name for name in voices.participants if said.intersection(name.casefold().split())]
    if named:
        return named[0] if len(named) == 1 else None
    if _ANSWER_BEFORE.search(text):
        return voices.answerer
    return voices.asker


def _owner(word: str) -> str:
    return word.casefold().replace("’", "'").removesuffix("'s").removesuffix("'")
