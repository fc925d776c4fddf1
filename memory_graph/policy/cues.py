"""Which outcome, if any, does one sentence speak of?"""

import re

from memory_graph.policy.cue_phrases import CUE_PHRASES, FRAGMENTS, Cue, CuePhrases
from memory_graph.policy.exchange import Role
from memory_graph.policy.sentences import plain, unquoted


def _compile(group: CuePhrases) -> re.Pattern[str]:
    source = "|".join(f"(?:{phrase})" for phrase in group.phrases)
    for name, fragment in FRAGMENTS.items():
        source = source.replace(f"{{{name}}}", fragment)
    return re.compile(rf"(?<!\w)(?:{source})(?!\w)")


_PATTERNS = tuple((group.cue, group.speakers, _compile(group)) for group in CUE_PHRASES)
_READ_CHARACTERS = 500
"""Of one sentence: what a paste without punctuation says further on is not read."""

_UNGUARDED: frozenset[Cue] = frozenset(
    {"undecided", "user_declared", "recall_request", "recall_miss"}
)
_CLAUSE_START = re.compile(r"[,;:–—]\s|\b(?:but|and|so|because)\b")
_NEGATION = re.compile(
    r"\b(?:not|never|no|nothing|nobody|without|hardly|yet to)\b(?:\W+\w+){0,4}\W*$"
)
_SUPPOSITION = re.compile(
    r"\b(?:if|suppose|supposing|imagine|wonder|whether|unless|hypothetically|once|in case|"
    r"as soon as|wish|hope|hopefully)\b"
)
_TENTATIVE = re.compile(
    r"\b(?:would|could|might|maybe|perhaps|should|may|can you|how to|want to|trying to)\b"
)


def cues_in(sentence: str, role: Role) -> frozenset[Cue]:
    """Return what `sentence` claims has happened, been chosen or been asked for.

    Questions, negations and suppositions claim nothing: "if it works", "we haven't decided".
    """
    text = plain(unquoted(sentence[:_READ_CHARACTERS]))
    return frozenset(
        cue
        for cue, speakers, pattern in _PATTERNS
        if role in speakers and _is_claimed(text, pattern, guarded=cue not in _UNGUARDED)
    )


def _is_claimed(text: str, pattern: re.Pattern[str], *, guarded: bool) -> bool:
    if not guarded:
        return pattern.search(text) is not None
    if text.endswith("?"):
        return False
    return any(_is_asserted(text[: match.start()]) for match in pattern.finditer(text))


def _is_asserted(before: str) -> bool:
    """Return whether nothing ahead of a phrase denies it or makes it a supposition."""
    if _SUPPOSITION.search(before):
        return False
    clause = _CLAUSE_START.split(before)[-1]
    return not (_NEGATION.search(clause) or _TENTATIVE.search(clause))
