"""What is an exchange about, in a few words?"""

import re
from collections import Counter
from collections.abc import Sequence

from memory_graph.policy.sentences import STOP_WORDS, content_words, words

_MOST_WORDS = 9
_FEWEST_WORDS = 2
"""A subject of fewer words ("the team") needs the rest of its sentence to be recognised."""

_UNKNOWN = "a short exchange"

_ASKING = (
    r"can you|could you|would you|will you|please|help me(?: with)?|i need(?: to)?|i want(?: to)?|"
    r"i'd like(?: to)?|we need(?: to)?|we have|i have|do i|do we|should (?:i|we)|shall (?:i|we)|"
    r"how (?:do|can|should) (?:i|we)|how to|what(?:'s| is| are| about| would)|where(?:'s| is)|"
    r"any ideas?(?: for| on)?|tell me(?: about)?|remind me(?: of| what)?"
    r"|what did we \w+(?: about)?|"
    r"book|send|order|cancel|change|move|write down|log|set up|compare|file|make|find|create|plan"
)
_TELLING = (
    r"(?:i|we)(?:'ve|'m|'re| have| am| are| had)?(?: just| finally| already| still| also)*"
    r"(?: don't| can't| didn't| never)? [\w'’-]+(?:ed|t|ve|ke|n|d|w|p|s|e)?"
)
_LEAD = re.compile(
    r"^(?:(?:ok(?:ay)?|so|well|and|but|hey|hi|btw|actually|just|now|also|today|yes|no|right|me"
    r"|us|my|"
    r"our|the|a|an|" + _ASKING + r")\b[,:]?\s*)+"
)
_SUBJECT_VERB = re.compile(r"^" + _TELLING + r"\s+(?:to\s+)?(?:the |a |an |my |our |that |it's )?")
_VERB = re.compile(
    r"\s+(?:is|are|was|were|isn't|aren't|keeps?|gets?|got|has|have|had|fails?|failed|crash(?:es"
    r"|ed)?|"
    r"takes?|took|says?|said|shows?|can't|cannot|won't|doesn't|does|did|drops?|arrives?|came"
    r"|comes?|"
    r"needs?|wants?|hurts?|works?|stopped|died|broke|went|which|that|because|since|but|and i"
    r"|so)\b.*$"
)


def find_topic(texts: Sequence[str]) -> str:
    """Return a short phrase for what the exchange is about, from its first telling sentence."""
    for text in texts:
        phrase = _phrase(text)
        if content_words(phrase):
            return phrase
    return _keywords(texts) or _UNKNOWN


def _phrase(text: str) -> str:
    """Return the part of a sentence that names its subject: no request, no verb and on."""
    bare = _drop(_LEAD, text.strip(" .!?"))
    bare = _drop(_LEAD, _drop(_SUBJECT_VERB, bare))
    named = _VERB.sub("", bare)
    if len(content_words(named)) < _FEWEST_WORDS:
        named = bare
    first_clause = re.split(r"[,;:?!–—]\s|\s-\s", named)[0]
    return _trim(first_clause if content_words(first_clause) else named)


def _drop(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.match(text.lower().replace("’", "'"))
    return text[match.end() :] if match else text


def _trim(phrase: str) -> str:
    kept = phrase.split()[:_MOST_WORDS]
    while kept and _is_filler(kept[-1]):
        kept.pop()
    while kept and _is_filler(kept[0]):
        kept.pop(0)
    return " ".join(kept).strip(" ,.;:!?\"'“”")


def _is_filler(word: str) -> bool:
    return all(part in STOP_WORDS for part in words(word))


def _keywords(texts: Sequence[str]) -> str:
    counted = Counter(word for text in texts for word in content_words(text))
    return " ".join(word for word, _ in counted.most_common(3))
