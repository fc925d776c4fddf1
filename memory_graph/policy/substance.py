"""How much did the user tell, beyond asking?"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from memory_graph.policy.exchange import Said
from memory_graph.policy.routine import is_chore, is_question, is_small_talk
from memory_graph.policy.sentences import content_words, plain, prose, split_sentences

_TELLING_WORDS = 3
"""Fewer words of meaning are a nod ("makes sense"), not a statement."""

_TIME = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|\w+days?|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|weeks?|months?|mornings?|evenings?"
    r"|the \d+(?:st|nd|rd|th))\b"
)
_NUMBER = re.compile(r"\d")
_ENDING = re.compile(r"(?<=\w{4})(?:ing|ed|es|s)$")


@dataclass(frozen=True, kw_only=True)
class Substance:
    """What the user's statements amount to; questions, chores and nods are left out."""

    opens_with_statement: bool = False
    follows_up: bool = False
    """The user came back to a reply with something to tell."""

    takes_up: bool = False
    """What the user came back with repeats words of that reply: advice or an option at work."""

    names_time: bool = False
    names_number: bool = False


def read_substance(said: Sequence[Said], earlier: Sequence[Said] = ()) -> Substance:
    """Return how much the user told in `said`, in view of what was said before it."""
    messages = [_statements(one.text) for one in said if one.role == "user"]
    is_underway = any(one.role == "assistant" for one in earlier)
    opening = "" if is_underway else " ".join(messages[:1])
    later = " ".join(messages if is_underway else messages[1:])
    return Substance(
        opens_with_statement=len(content_words(opening)) >= _TELLING_WORDS,
        follows_up=len(content_words(later)) >= _TELLING_WORDS,
        takes_up=_takes_up(said, earlier),
        names_time=_TIME.search(plain(f"{opening} {later}")) is not None,
        names_number=_NUMBER.search(f"{opening} {later}") is not None,
    )


def _takes_up(said: Sequence[Said], earlier: Sequence[Said]) -> bool:
    spoken = [*_spoken(earlier)[-1:], *_spoken(said)]
    return any(
        not _stems(reply.text).isdisjoint(_stems(_statements(answer.text)))
        for reply, answer in pairwise(spoken)
        if reply.role == "assistant" and answer.role == "user"
    )


def _spoken(said: Sequence[Said]) -> list[Said]:
    return [one for one in said if one.role != "tool" and not one.tool_calls]


def _stems(text: str) -> frozenset[str]:
    return frozenset(_ENDING.sub("", word) for word in content_words(prose(text)))


def _statements(text: str) -> str:
    if is_chore(text):
        return ""
    told = (one for one in split_sentences(text) if not is_question(one) and not is_small_talk(one))
    return " ".join(told)
