"""Which word is meant by a shortened, misspelt or run-together one?"""

import re
from collections.abc import Iterator

_SHORTHAND = {
    "u": "you",
    "ur": "your",
    "abt": "about",
    "im": "i'm",
    "ive": "i've",
    "dont": "don't",
    "cant": "can't",
    "didnt": "didn't",
    "pls": "please",
    "plz": "please",
    "whats": "what's",
    "wheres": "where's",
    "whos": "who's",
    "whens": "when's",
    "hows": "how's",
    "nite": "night",
}
_OFTEN_MISTYPED = ("what", "when", "where", "which", "remember", "remind", "recall")
_WORDS_OF_THEIR_OWN = frozenset({"were", "whee"})


def _slips(word: str) -> Iterator[str]:
    """Yield `word` with one letter left out, the first never, or two neighbours swapped."""
    for position in range(1, len(word)):
        yield word[:position] + word[position + 1 :]
    for position in range(len(word) - 1):
        swapped = word[position + 1] + word[position]
        yield word[:position] + swapped + word[position + 2 :]


_MISTYPED = {
    slip: word
    for word in _OFTEN_MISTYPED
    for slip in _slips(word)
    if slip not in _WORDS_OF_THEIR_OWN
}
_MEANT = _MISTYPED | _SHORTHAND
_SHORT_WORD = re.compile(rf"\b(?:{'|'.join(_MEANT)})\b(?!')")
_RUN_TOGETHER = re.compile(
    r"\b(what|where|when|who|how|why)'d (?=(?:i|we|you|he|she|they|my|our|the)\b)"
)


def spell_out(text: str) -> str:
    """Return the lower-cased `text` with shorthand, slips of the key and `what'd` written out."""
    return _RUN_TOGETHER.sub(r"\1 did ", _SHORT_WORD.sub(lambda word: _MEANT[word[0]], text))
