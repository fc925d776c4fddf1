"""What does the assistant say when no language model is configured?"""

import re
from collections.abc import Sequence

from memory_graph.policy.recall import RecallFound

NOTHING = "I have no memory of that."
NOTHING_ELSE = "I have no memory of the rest."
NO_MODEL = "Without a language model I can only remember what you tell me and recall it."
_NOTED = "Noted: "
_UNSURE = "I have no memory of that; the closest I know is: "
_VERBS = {
    "is": "are",
    "has": "have",
    "was": "were",
    "does": "do",
    "goes": "go",
    "doesn't": "don't",
    "isn't": "aren't",
    "hasn't": "haven't",
}
_THIRD_PERSON = re.compile(r"\bThe user (?P<verb>[a-z']+)", re.IGNORECASE)


def compose_reply(
    noted: Sequence[str], answers: Sequence[str], *, asks: bool, found: RecallFound
) -> str:
    """Return what can honestly be said from memory alone."""
    parts = [f"{_NOTED}{second_person(statement)}" for statement in noted]
    if asks:
        parts.append(_answer(answers, found))
    return " ".join(parts) or NO_MODEL


def is_from_memory_alone(text: str) -> bool:
    """Return whether a reply is one of ours: it only echoes memory, and tells of nothing new."""
    return text == NO_MODEL or text.endswith(NOTHING) or text.startswith((_NOTED, _UNSURE))


def second_person(statement: str) -> str:
    """Return a statement about the user as it is said to them (`You live in Porto.`)."""
    said = _THIRD_PERSON.sub(lambda match: f"You {_plain_verb(match['verb'])}", statement)
    said = re.sub(r"\bthe user's\b", "your", said, flags=re.IGNORECASE)
    said = re.sub(r"\bthe user\b", "you", said, flags=re.IGNORECASE)
    return said[:1].upper() + said[1:]


def _answer(answers: Sequence[str], found: RecallFound) -> str:
    if found == "none" or not answers:
        return NOTHING
    told = " ".join(second_person(answer) for answer in answers)
    return told if found == "found" else f"{_UNSURE}{told}"


def _plain_verb(verb: str) -> str:
    if verb in _VERBS:
        return _VERBS[verb]
    if verb.endswith(("ches", "shes", "sses", "xes")):
        return verb[:-2]
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb
