"""Can this message hold a lasting fact at all? A free check before any model is asked."""

import re
from dataclasses import dataclass
from typing import Literal

from memory_graph.policy.own_words import own_words

GateReason = Literal[
    "may_hold_fact",
    "too_short",
    "small_talk",
    "question_only",
    "code",
    "pasted_document",
    "quote",
    "hypothetical",
    "no_first_person",
]

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n+")
_FRAGMENT_END = re.compile(r",\s+|;\s+|\s+[–—-]\s+")
_SMALL_TALK = re.compile(
    r"^(?:(?:oh|ah|ok(?:ay)?|thanks?(?: you)?|thx|ty|cheers|hi|hello|hey|yo|good (?:morning|"
    r"evening|night|afternoon)|bye|see you|yes|yeah|yep|no|nope|sure|cool|nice|great|perfect|"
    r"awesome|lol|haha|wow|sounds good|got it|never ?mind|no problem|you're welcome|well done|"
    r"please|continue|go on|there|a lot|so much|very much|for (?:that|this|the help|your help)|"
    r"that (?:helped|works|worked)|works now|that's (?:all|it|fine|great)|for now|all|again|then|"
    r"i see|i'm (?:fine|good|ok|okay|done|sorry|here|back))\b[\s,.!:)]*)+$",
    re.IGNORECASE,
)
_QUESTION_START = re.compile(
    r"^(?:(?:and|so|but|or|ok|okay|please|hey|hi|hello)\b,?\s+)*(?:what|how|where|when|why|who|whom|"
    r"whose|which|do|does|did|is|are|am|was|were|can|could|should|would|will|has|have (?:i|you|we)|"
    r"may|shall|isn't|aren't|don't (?:i|you|we)|what's|who's|where's|how's)\b",
    re.IGNORECASE,
)
_HYPOTHETICAL = re.compile(
    r"^(?:(?:and|so|but|ok|okay|please|well)\b,?\s+)*(?:if|imagine|pretend|suppose|assuming|"
    r"let's (?:say|pretend|imagine)|what if|i wish|say i'm|say i am|act as)\b",
    re.IGNORECASE,
)
_ABOUT_SOMEBODY = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|im|ive|me|my|mine|myself|we|we're|we've|us|our|she|he|she's|he's|her|"
    r"his|they|they're|their|name's)\b",
    re.IGNORECASE,
)
_NAMED_CHANGE = re.compile(
    r"\b[A-Z]\w+(?:'s)? (?:\w+ )?(?:is|turned|turns|moved|lives|works|left|got|has|had|loves|likes|"
    r"hates|died|passed|started|stopped|was|speaks|birthday)\b"
)
_REQUEST_ABOUT_MEMORY = re.compile(
    r"\b(?:forget|remember|delete|call me|from now on|always (?:reply|answer|use|write)|"
    r"it's spelled|(?:keep|give)\b.*\b(?:answers|replies|responses)|answer in|reply in|the kids)\b",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r"^(?:no|sorry|actually|correction)\b.*\bnot\b|\bnot \w+ any ?more\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Gate:
    """Whether a message goes on to fact extraction, and why."""

    passes: bool
    reason: GateReason


def decide_gate(text: str) -> Gate:
    """Decide whether a user message may hold a lasting fact; when in doubt, it may."""
    own = own_words(text)
    if not own.text:
        return Gate(False, "too_short" if own.removed == "none" else own.removed)
    reasons = [_judge(part) for part in _parts(own.text)]
    if "may_hold_fact" in reasons:
        return Gate(True, "may_hold_fact")
    if own.removed != "none":
        return Gate(False, own.removed)
    return Gate(False, _strongest(reasons))


def _parts(text: str) -> list[str]:
    """Cut into sentences; a question is cut further, for facts told on the way to asking."""
    parts: list[str] = []
    for sentence in filter(None, map(str.strip, _SENTENCE_END.split(text))):
        if not sentence.endswith("?"):
            parts.append(sentence)
            continue
        *before, last = _FRAGMENT_END.split(sentence)
        parts.extend(before)
        parts.append(last)
    return parts


def _judge(part: str) -> GateReason:
    if len(re.findall(r"\w+", part)) < 2:
        return "too_short"
    if _SMALL_TALK.match(part):
        return "small_talk"
    if part.endswith("?") or _QUESTION_START.match(part):
        return "question_only"
    if _HYPOTHETICAL.match(part):
        return "hypothetical"
    evidence = (_ABOUT_SOMEBODY, _NAMED_CHANGE, _REQUEST_ABOUT_MEMORY, _CORRECTION)
    return "may_hold_fact" if any(p.search(part) for p in evidence) else "no_first_person"


def _strongest(reasons: list[GateReason]) -> GateReason:
    """Name the most telling reason for the whole message."""
    order: tuple[GateReason, ...] = (
        "question_only",
        "hypothetical",
        "no_first_person",
        "small_talk",
    )
    return next((reason for reason in order if reason in reasons), "too_short")
