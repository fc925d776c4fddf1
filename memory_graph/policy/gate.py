"""Can this message hold a lasting fact at all? A free check before any model is asked."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memory_graph.policy.own_words import own_words
from memory_graph.policy.passing import is_passing

GateReason = Literal[
    "may_hold_fact",
    "too_short",
    "small_talk",
    "question_only",
    "code",
    "pasted_document",
    "quote",
    "hypothetical",
    "passing_state",
    "no_first_person",
]

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n+")
_FRAGMENT_END = re.compile(r",\s+|;\s+|\s+[–—-]\s+")
_CLAUSE_END = re.compile(
    r",?\s+(?:and|but|so|because|since|while)\s+(?=(?:now |also )?(?:i|i'm|my|we|our|she|he)\b)|"
    r"[,;:]\s+|\s+[–—-]\s+",
    re.IGNORECASE,
)
_OPENER = re.compile(
    r"^(?:(?:and|so|but|or|ok|okay|please|well|oh|hey|hi|hello|great|actually|sorry|"
    r"if (?:it|that|this) (?:helps|matters)|in case (?:it|that) (?:helps|matters))\b[\s,]*)+",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"^(?:(?:oh|ah|ok(?:ay)?|thanks?(?: you)?|thx|ty|cheers|hi|hello|hey|yo|"
    r"good (?:morning|evening|night|afternoon)|bye|see you|yes|yeah|yep|no|nope|sure|cool|nice|"
    r"great|perfect|awesome|lol|haha|wow|sounds good|got it|never ?mind|no problem|"
    r"you're welcome|well done|please|continue|go on|there|a lot|so much|very much|"
    r"for (?:that|this|the help|your help)|that (?:helped|works|worked)|works now|"
    r"that's (?:all|it|fine|great)|for now|all|again|then|let's (?:do|try) (?:that|it|this)|"
    r"great job|i see|i'm (?:fine|good|ok|okay|done|sorry|here|back))\b[\s,.!:)]*)+$",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"^(?:what|how|where|when|why|who|whom|whose|which|do(?! not)|does|did|is|are|am|was|were|"
    r"can|could|should|would|will|has|have (?:i|you|we)|may|shall|isn't|aren't|"
    r"don't (?:i|you|we)|what's|who's|where's|how's)\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"^(?:if|imagine|pretend|suppose|assuming|let's (?:say|pretend|imagine)|i wish|say i'm|"
    r"say i am|act as|hypothetically|in theory|for the sake of argument|when i (?:was|get)|"
    r"i dream(?:t|ed)|(?:in|for) (?:the|my|this|a) (?:story|novel|book|game|film|movie|play)|"
    r"you are an?)\b",
    re.IGNORECASE,
)
_UNREAL = re.compile(
    r"\b(?:i|we)(?:'d| would| could| might| may)\b(?! (?:rather|like to|love to|describe|"
    r"say i'm))|\b(?:maybe|perhaps|not sure|i'm (?:pretending|thinking)|we're thinking|i almost|"
    r"i never (?!eat|drink))",
    re.IGNORECASE,
)
_ABOUT_SOMEBODY = re.compile(
    r"\b(?:i|i'm|i've|i'd|im|ive|me|my|mine|myself|we|we're|we've|us|our|she|he|she's|he's|her|"
    r"his|they|they're|their|name's)\b",
    re.IGNORECASE,
)
_NAMED_NEWS = re.compile(
    r"^(?:the (?:dog|cat|kids|baby)|[A-Z]\w+)(?:'s \w+)? (?:just |also |now |recently )?(?:is|"
    r"are|turned|turns|moved|lives|works|left|got|has|loves|likes|hates|died|passed|started|"
    r"stopped|speaks)\b"
)
_IMPERSONAL = re.compile(r"^(?:The (?!dog|cat|kids|baby)|It |This |That |There |What )")
_ELLIPTIC = re.compile(
    r"^(?:not an? (?:big |huge )?fan|turned \d+|just (?:turned|got|moved)|"
    r"got (?:married|promoted|engaged)|moved to|can't stand)\b",
    re.IGNORECASE,
)
_CORRECTION = re.compile(r"^(?:it's|it is|i meant) [^,?]+,? not [^?]+$", re.IGNORECASE)
_FORM_LINE = re.compile(
    r"^(?:[-*•]\s*)?(?:name|age|birthday|city|location|job|occupation|employer|company|diet|"
    r"allerg\w+|pronouns|time ?zone|languages?|hobbies|pets?): \S",
    re.IGNORECASE,
)
_REQUEST_ABOUT_MEMORY = re.compile(
    r"\b(?:forget (?:my|that|what|about my)|remember|delete (?:my|what)|call me|from now on|"
    r"it's spelled|always \w+|never use|don't use|"
    r"(?:keep|give)\b.*\b(?:answers|replies|responses|metric|it short)|"
    r"(?:answer|reply|respond) in|use \w+ (?:spelling|notation|format)|"
    r"in your (?:answers|replies))\b",
    re.IGNORECASE,
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
    sentences = filter(None, map(str.strip, _SENTENCE_END.split(own.text)))
    reasons = [reason for sentence in sentences for reason in _judge_sentence(sentence)]
    if "may_hold_fact" in reasons:
        return Gate(True, "may_hold_fact")
    if own.removed != "none":
        return Gate(False, own.removed)
    return Gate(False, _most_telling(reasons))


def _judge_sentence(sentence: str) -> list[GateReason]:
    """Judge a sentence by its clauses; a question only by what was told on the way to asking."""
    if _SMALL_TALK.match(sentence):
        return ["small_talk"]
    opened = _OPENER.sub("", sentence)
    if _CORRECTION.match(opened) or _FORM_LINE.match(opened):
        return ["may_hold_fact"]
    if _SUPPOSED.match(opened):
        return ["hypothetical"]
    if sentence.endswith("?"):
        *told, _ = _FRAGMENT_END.split(opened)
        return [*(_judge(clause) for clause in told), "question_only"]
    return [_judge(clause) for clause in _CLAUSE_END.split(opened)]


def _judge(clause: str) -> GateReason:
    clause = _OPENER.sub("", clause).strip()
    if len(clause.split()) < 2:
        return "too_short"
    if _SMALL_TALK.match(clause):
        return "small_talk"
    if _REQUEST_ABOUT_MEMORY.search(clause) or _ELLIPTIC.match(clause):
        return "may_hold_fact"
    if _QUESTION.match(clause):
        return "question_only"
    return _judge_statement(clause)


def _judge_statement(clause: str) -> GateReason:
    if _SUPPOSED.match(clause) or _UNREAL.search(clause):
        return "hypothetical"
    if is_passing(clause):
        return "passing_state"
    named = _NAMED_NEWS.match(clause) and not _IMPERSONAL.match(clause)
    return "may_hold_fact" if named or _ABOUT_SOMEBODY.search(clause) else "no_first_person"


def _most_telling(reasons: Sequence[GateReason]) -> GateReason:
    order: tuple[GateReason, ...] = (
        "question_only",
        "hypothetical",
        "passing_state",
        "no_first_person",
        "small_talk",
    )
    return next((reason for reason in order if reason in reasons), "too_short")
