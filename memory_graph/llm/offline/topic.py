"""What is an exchange about, in a few words?"""

import re
from collections import Counter
from collections.abc import Sequence

from memory_graph.policy.sentences import STOP_WORDS, content_words, words

_MOST_WORDS = 9
_FEWEST_WORDS = 2
"""A subject of fewer words ("the team") needs the rest of its sentence to be recognised."""

_UNKNOWN = "small talk"
_MARKS = " ,.;:!?\"'“”"

_ASKING = (
    r"(?:can|could|would|will) you|please|help me(?: with)?|(?:i|we) (?:need|want|have)(?: to)?"
    r"|i'd like(?: to)?|do (?:i|we)|should (?:i|we)|shall (?:i|we)|how (?:do|can|should) (?:i|we)"
    r"|how to|what(?:'s| is| are| about| would)|where(?:'s| is)|any ideas?(?: for| on)?"
    r"|tell me(?: about)?|remind me(?: of| what)?|what did we \w+(?: about)?"
    r"|remember (?:this|our|the)(?: (?:conversation|chat|talk|exchange|discussion))?"
    r"|book|send|order|cancel|change|move|write down|log|set up|compare|file|make|find|create|plan"
)
_OPENERS = r"ok(?:ay)?|so|well|and|but|hey|hi|btw|actually|just|now|also|today|yes|no|right"
_LEAD = re.compile(rf"(?:(?:{_OPENERS}|me|us|my|our|the|an?|{_ASKING})\b[,:]?\s*)+", re.IGNORECASE)
_SUBJECT_VERB = re.compile(
    r"(?:i|we)(?:'ve|'m|'re| have| am| are| had)?(?: just| finally| already| still| also)*"
    r"(?: don't| can't| didn't| never)? [\w'-]+\s+",
    re.IGNORECASE,
)
_PREDICATE = re.compile(
    r"\s+(?:is|are|was|were|isn't|aren't|keeps?|gets?|got|has|have|had|fails?|failed|crash(?:es|ed)?"
    r"|takes?|took|says?|said|shows?|can't|cannot|won't|doesn't|does|did|drops?|arrives?|came"
    r"|comes?|needs?|wants?|hurts?|works?|stopped|died|broke|went|which|that|because|since|but"
    r"|so)\b.*$",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[,;:?!–—]\s|\s-\s")


def find_topic(texts: Sequence[str]) -> str:
    """Return a short phrase for what the exchange is about, from its first telling sentence."""
    for text in texts:
        phrase = _phrase(text)
        if content_words(phrase):
            return phrase
    return _keywords(texts) or _UNKNOWN


def _phrase(text: str) -> str:
    """Return the part of a sentence that names its subject: no request, no predicate."""
    bare = text.replace("’", "'").strip(" .!?")
    for opening in (_LEAD, _SUBJECT_VERB, _LEAD):
        bare = opening.sub("", bare, count=1) if opening.match(bare) else bare
    named = _PREDICATE.sub("", bare)
    if len(content_words(named)) < _FEWEST_WORDS:
        named = bare
    clause = _CLAUSE_END.split(named)[0]
    return _trim(clause if content_words(clause) else named)


def _trim(phrase: str) -> str:
    kept = phrase.split()[:_MOST_WORDS]
    while kept and _is_filler(kept[-1]):
        kept.pop()
    while kept and _is_filler(kept[0]):
        kept.pop(0)
    return " ".join(kept).strip(_MARKS)


def _is_filler(word: str) -> bool:
    is_month = word.strip(_MARKS) == "May"
    return not is_month and all(part in STOP_WORDS for part in words(word))


def _keywords(texts: Sequence[str]) -> str:
    counted = Counter(word for text in texts for word in content_words(text))
    return " ".join(word for word, _ in counted.most_common(3))
