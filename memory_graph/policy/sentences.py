"""What are the sentences of a message, and which of their words carry meaning?"""

import re

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
_QUOTED = re.compile(r'"[^"\n]*"|“[^”\n]*”')
# A full stop ends a sentence only before a space, and not after a title or a single letter.
_END = re.compile(
    r"(?<=[.!?…])(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\be\.g\.)(?<!\bi\.e\.)"
    r"(?<!\bvs\.)(?<!\b[A-Za-z]\.)\s+|\n+"
)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+", re.MULTILINE)
_WORD = re.compile(r"[^\W_]+(?:[’'.-][^\W_]+)*")
_READ_CHARACTERS = 6000
"""Of one message: a longer one is a paste, and what follows is not what somebody said."""

_CONTRACTIONS = (
    (re.compile(r"\bcan(?:no|')t\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\bi'm\b"), "i am"),
    (re.compile(r"\blet's\b"), "let us"),
    (re.compile(r"\b(it|that|this|what|where|who|how|here|there|he|she)'s\b"), r"\1 is"),
    (re.compile(r"'re\b"), " are"),
    (re.compile(r"'ve\b"), " have"),
    (re.compile(r"'ll\b"), " will"),
    (re.compile(r"'d\b"), " would"),
)


def word_set(table: str) -> frozenset[str]:
    """Return the words of a table written as plain text."""
    return frozenset(table.split())


STOP_WORDS = word_set("""
    a about above after again against all also am an and another any are around as at away back be
    because been before being below between both but by can could did do does doing done down
    during each either else ever every few for from further get gets getting go goes going gone got
    had has have having he hello her here hers herself hey hi him himself his how however i if in
    into is it its itself just keep know let like made make makes many may maybe me might more most
    much must my myself near need new no nor not now of off oh ok okay on once one only or other
    our ours out over own perhaps please quite rather really right said same say says see shall she
    should since so some soon still such sure take tell than thank thanks that the their theirs
    them themselves then there these they thing things think this those though through to too try
    under until up us use very want wants was way we well went were what when where whether which
    while who whom whose why will with within without would yeah yes yet you your yours yourself
""")


def prose(text: str) -> str:
    """Return the start of `text`, as much as is read, without code."""
    return _CODE.sub(" ", text[:_READ_CHARACTERS])


def unquoted(text: str) -> str:
    """Return `text` without quoted words, which are mentioned rather than said."""
    return _QUOTED.sub(" ", text)


def plain(text: str) -> str:
    """Return `text` in lower case with contractions written out, for phrases to be found in."""
    text = " ".join(text[:_READ_CHARACTERS].lower().replace("’", "'").split())
    for contraction, full in _CONTRACTIONS:
        text = contraction.sub(full, text)
    return text


def split_sentences(text: str) -> tuple[str, ...]:
    """Split prose into sentences, each with its closing mark."""
    parts = _END.split(_BULLET.sub("\n", prose(text)))
    return tuple(" ".join(part.split()) for part in parts if _WORD.search(part))


def words(text: str) -> tuple[str, ...]:
    """Return the words of `text` in order, lower-cased."""
    return tuple(word.lower().replace("’", "'") for word in _WORD.findall(text))


def content_words(text: str) -> tuple[str, ...]:
    """Return the words that carry meaning, in order, repeated where repeated."""
    return tuple(word for word in words(text) if _carries_meaning(word))


def _carries_meaning(word: str) -> bool:
    stem = word.split("'")[0].removesuffix("n") if "n't" in word else word.split("'")[0]
    return len(stem) > 1 and word not in STOP_WORDS and stem not in STOP_WORDS


def shorten(text: str, limit: int) -> str:
    """Cut `text` to at most `limit` characters, between words where it has any."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    return (head.rsplit(" ", 1)[0] if " " in head else head).rstrip(" ,;:–—-") + "…"
