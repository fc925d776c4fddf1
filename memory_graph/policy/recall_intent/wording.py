"""What did the user write, once case, shorthand, quotations and pasted text are set aside?"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory_graph.policy.recall_intent.question_forms import find_question
from memory_graph.policy.recall_intent.spelling import spell_out

_WRAPPED = re.compile(r"""(?:"([^"]+)"|'([^"]+)')""", re.S)
_QUOTED = re.compile(r""""[^"]*"|(?<![\w'])'[^']{2,80}'(?!\w)""")
_CODE = re.compile(
    r"```|\btraceback \(|=>|\w\(\)|\w\(\w+, |[{};]\s*$|^\s*(?:def|import|class|select) \w", re.M
)
_READ_AT_EACH_END = 1000
"""Characters: keeps the time bounded for whatever is pasted."""

_SENTENCE_END = re.compile(r"(?<=[.?!])\s+|\n+")
_EDGE = " \t\r\n.?!,;:…"


@dataclass(frozen=True, kw_only=True)
class Question:
    """What a message asks, and what it says around that."""

    asked: str
    lead_in: str


@dataclass(frozen=True, kw_only=True)
class Wording:
    """A message, lower-cased, without quotations, cut into sentences."""

    sentences: tuple[str, ...]
    questions: tuple[Question, ...]
    """At most one per sentence, in order."""

    words: int
    has_code: bool

    @property
    def text(self) -> str:
        """Return all sentences as one line."""
        return " ".join(self.sentences)


def read_wording(text: str) -> Wording:
    """Return the wording of `text`; case, edges and final punctuation make no difference."""
    plain = (
        _cut(text.strip())
        .lower()
        .replace("’", "'")
        .replace("“", '"')
        .replace("”", '"')
        .replace("‘", "'")
        .strip(_EDGE)
    )
    plain = _unwrap(plain)
    own = spell_out(_QUOTED.sub(" quoted ", plain))
    pieces = (" ".join(piece.split()) for piece in _SENTENCE_END.split(own))
    sentences = tuple(piece.strip(_EDGE) for piece in pieces if piece.strip(_EDGE))
    return Wording(
        sentences=sentences,
        questions=tuple(_find_questions(sentences)),
        words=sum(len(sentence.split()) for sentence in sentences),
        has_code=bool(_CODE.search(plain)),
    )


def _unwrap(text: str) -> str:
    # A message that is one quotation is the user's own question, copied with its marks.
    whole = _WRAPPED.fullmatch(text)
    return (whole[1] or whole[2]).strip(_EDGE) if whole else text


def _cut(text: str) -> str:
    if len(text) <= 2 * _READ_AT_EACH_END:
        return text
    return f"{text[:_READ_AT_EACH_END]}\n{text[-_READ_AT_EACH_END:]}"


def _find_questions(sentences: tuple[str, ...]) -> Iterator[Question]:
    for position, sentence in enumerate(sentences):
        if match := find_question(sentence):
            before = sentence[: match.start()]
            others = (*sentences[:position], before, *sentences[position + 1 :])
            yield Question(asked=match["asked"], lead_in=" ".join(filter(None, others)))
