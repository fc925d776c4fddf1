"""Which words of a message are the user's own, and which of them ask something?"""

import re
from dataclasses import dataclass

_SHORTHAND = {
    "u": "you",
    "ur": "your",
    "wat": "what",
    "wht": "what",
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
_SHORT_WORD = re.compile(rf"\b(?:{'|'.join(_SHORTHAND)})\b(?!')")
_QUOTED = re.compile(r'"[^"]*"')
_CODE = re.compile(
    r"```|\btraceback \(|=>|\w\(\)|\w\(\w+, |[{};]\s*$|^\s*(?:def|import|class|select) \w", re.M
)
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+|\n+")
_EDGE = " \t\r\n.?!,;:…"

_OPENER = (
    r"(?:(?:ok|okay|so|hey|hi|hello|hm+|and|but|also|well|please|btw|now|oh|um+|just|sorry|"
    r"actually|anyway|then|thanks|again|wait|alright|quick question)[,:]?\s+)*"
)
_WH = r"(?:what|which|who|whom|whose|where|when|why|how)(?:'s|'re|'d|'ve)?"
_ASKED_WH = rf"(?:(?:in|on|at|to|from|with|by|for|since|of|about|until)\s)?{_WH}\b"
_NOT_INVERTED = r"(?!\s(?:i|we|you|he|she|they|it|my|our|i'm|we're|to)\b)"
_ASKED_YES_NO = (
    r"(?:did|didn't|do|don't|does|doesn't|have|haven't|has|hasn't|had|hadn't|was|wasn't|were|"
    r"is|isn't|are|am|can|could|should|would|will)\s(?!not\b|you (?:tell|remind|say)\b)\w"
)
_INVERTED = (
    r"(?: \w+){0,3}? (?:did|do|does|was|were|is|are|am|have|had|has) (?:i|we|you|it|he|she|they)\b"
)
_DIRECT = re.compile(
    rf"(?:^|[;:–—]\s|\s-\s){_OPENER}(?P<asked>(?:{_ASKED_WH}{_NOT_INVERTED}|{_ASKED_YES_NO}).*)"
)
_AFTER_A_COMMA = re.compile(
    rf",\s{_OPENER}(?P<asked>(?:(?:what|how|why)(?:'s)?\b{_NOT_INVERTED}|"
    rf"{_ASKED_WH}{_INVERTED}|{_ASKED_YES_NO}).*)"
)
_MISSING_THING = re.compile(
    r"^i (?:need|want|forgot|lost|can't remember|don't remember|don't recall) "
    r"(?P<asked>the (?:name|title|number|date|address|link|recipe|list|exact)\b.*)"
)
_EMBEDDED = re.compile(
    rf"^{_OPENER}(?:(?:can|could|would|will) you (?:please |kindly )?(?:tell me|say|check|find out)|"
    r"do you (?:happen to )?(?:know|have any idea)|any (?:idea|clue)|tell me|"
    r"i(?:'m| was|'ve been| am)? (?:just )?wonder(?:ing)?|i(?:'d| would) (?:like|love) to know|"
    r"i (?:want|need|wanted) to know|i(?:'m| am) (?:curious|(?:trying|struggling) to "
    r"(?:remember|recall|figure out|work out|find out))|not sure)\s(?:exactly |about )?"
    rf"(?P<asked>(?:{_ASKED_WH}|if|whether)\s.*)"
)
_NAMED_THING = re.compile(
    rf"^{_OPENER}(?:(?:can|could) you )?(?:please )?(?:tell me|name|list|show me|give me)\s"
    r"(?P<asked>(?:all |again )?(?:of )?(?:the|my|our|every|each)\b.*)"
)
_POSTPOSED = re.compile(r"(?P<asked>.*\b(?:from|to|with|by|for|at) (?:whom|who|what|where)\b.*)")
_QUESTION_FORMS = (
    _EMBEDDED,
    _NAMED_THING,
    _DIRECT,
    _AFTER_A_COMMA,
    _MISSING_THING,
    _POSTPOSED,
)


@dataclass(frozen=True, kw_only=True)
class Wording:
    """A message, lower-cased, without quotations, cut into sentences."""

    sentences: tuple[str, ...]
    questions: tuple[str, ...]
    """The asking part of each sentence that has one, in order."""

    words: int
    has_code: bool

    @property
    def text(self) -> str:
        """Return all sentences as one line."""
        return " ".join(self.sentences)


def read_wording(text: str) -> Wording:
    """Return the wording of `text`; case, edges and final punctuation make no difference."""
    plain = text.lower().replace("’", "'").replace("“", '"').replace("”", '"').strip(_EDGE)
    own = _SHORT_WORD.sub(lambda word: _SHORTHAND[word[0]], _QUOTED.sub(" quoted ", plain))
    pieces = (" ".join(piece.split()) for piece in _SENTENCE_END.split(own))
    sentences = tuple(piece.strip(_EDGE) for piece in pieces if piece.strip(_EDGE))
    return Wording(
        sentences=sentences,
        questions=tuple(asked for sentence in sentences if (asked := _asked_part(sentence))),
        words=sum(len(sentence.split()) for sentence in sentences),
        has_code=bool(_CODE.search(plain)),
    )


def _asked_part(sentence: str) -> str | None:
    for form in _QUESTION_FORMS:
        if match := form.search(sentence):
            return match["asked"]
    return None
