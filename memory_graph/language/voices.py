"""Who speaks in a namespace, and whose words a query asks for."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memory_graph.language.sentences import SPOKEN_WORD
from memory_graph.language.words import table

_ANSWER_BEFORE = re.compile(table("question_words")["answer_before"], re.IGNORECASE)


def without_names(text: str, names: Iterable[str]) -> str:
    """Return a query without the names of those who speak.

    A name says whose words are wanted, not what they are about: in an embedding it pulls
    towards greetings. A query made of nothing else comes back as it is.
    """
    parts = {part for name in names for part in name.casefold().split()}
    if not parts:
        return text
    kept = SPOKEN_WORD.sub(lambda word: "" if _owner(word[0]) in parts else word[0], text)
    return " ".join(kept.split()) if SPOKEN_WORD.search(kept) else text


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
    said = {_owner(word) for word in SPOKEN_WORD.findall(text)}
    named = [name for name in voices.participants if said.intersection(name.casefold().split())]
    if named:
        return named[0] if len(named) == 1 else None
    if _ANSWER_BEFORE.search(text):
        return voices.answerer
    return voices.asker


def _owner(word: str) -> str:
    return word.casefold().replace("’", "'").removesuffix("'s").removesuffix("'")
