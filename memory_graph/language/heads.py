"""The heads: small linear models that score what a text does (state, ask, correct, …)."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from memory_graph.language.questions import asks_first
from memory_graph.language.words import table

Matrix = npt.NDArray[np.float32]
Places = npt.NDArray[np.intp]
GRAM_SIZES = (2, 3, 4)
GRAM_PLACES = 8192
"""Runs of letters share this many weights by a hash."""
READ_CHARACTERS = 600
"""The form and the letters of a longer text are those of its beginning."""
_VECTOR_SCALE = 4.0
_PRODUCT_SCALE = 6.0
_GRAM_SCALE = 3.0
# One ridge serves all weights: scales say how much each kind of feature may tell.

_MULTIPLIER = np.uint32(0x01000193)
_SHIFT = np.uint32(15)
_PLACES = np.uint32(GRAM_PLACES)
_FORM = {name: "|".join(words.split()) for name, words in table("form").items()}
_ASKS_INSIDE = re.compile(_FORM["asks_inside"])
_OWN = re.compile(rf"\b(?:{_FORM['own']})\b|{_FORM['own_inside']}", re.IGNORECASE)
_YOURS = re.compile(rf"\b(?:{_FORM['yours']})\b|{_FORM['yours_inside']}", re.IGNORECASE)
_NAME = re.compile(r"(?<=\w[ ,])[A-ZÀ-Þ]\w")
_DIGIT = re.compile(r"\d")
_QUOTE = re.compile(r"[\"“«„「『]")
_QUESTION_MARK = re.compile(r"[?？؟]")
_CLOSING = ' )"”»」'


def dense_features(vectors: Matrix, texts: Sequence[str], directions: Matrix) -> Matrix:
    """Return one row per text: a constant, the vector, products along `directions`, the form."""
    along = vectors @ directions[:-1] - directions[-1]
    first, second, scale = _pairs(along.shape[1])
    products = along[:, first] * along[:, second] * scale
    form = np.array([_form(text) for text in texts], dtype=np.float32)
    constant = np.ones((len(texts), 1), dtype=np.float32)
    return np.concatenate((constant, _VECTOR_SCALE * vectors, products, form), axis=1)


@cache
def _pairs(count: int) -> tuple[Places, Places, Matrix]:
    first, second = np.triu_indices(count)
    scale = _PRODUCT_SCALE * np.where(first == second, 1.0, np.sqrt(2.0))
    return first, second, scale.astype(np.float32)


def _form(text: str) -> tuple[bool, ...]:
    length = len(text)
    text = text[:READ_CHARACTERS].strip()
    last = text.rstrip(_CLOSING)[-1:]
    return (
        last in {"?", "？", "؟"},
        _QUESTION_MARK.search(text) is not None,
        asks_first(text),
        _ASKS_INSIDE.search(text) is not None,
        _DIGIT.search(text) is not None,
        _OWN.search(text) is not None,
        _YOURS.search(text) is not None,
        last in {"!", "！"},
        _QUOTE.search(text) is not None,
        ":" in text,
        _NAME.search(text) is not None,
        length < 15,
        length < 30,
        length > 120,
        length > 300,
    )


def has_question_form(text: str) -> bool:
    """Say whether a text has the form of a question: a mark, or a word that asks."""
    text = text[:READ_CHARACTERS].strip()
    forms = (_QUESTION_MARK, _ASKS_INSIDE)
    return asks_first(text) or any(form.search(text) is not None for form in forms)


def gram_places(text: str) -> Places:
    """Return where the text's runs of letters have their weights, each place once."""
    plain = _DIGIT.sub("0", f" {' '.join(text[:READ_CHARACTERS].lower().split())} ")
    letters = np.frombuffer(plain.encode("utf-32-le"), dtype="<u4").astype(np.uint32)
    hashes = [_hash_runs(letters, size) for size in GRAM_SIZES if len(letters) >= size]
    return np.flatnonzero(np.bincount(np.concatenate(hashes) % _PLACES))


def gram_weight(places: Places) -> float:
    """Return what each place counts: a long text has many, and they share."""
    return _GRAM_SCALE / float(np.sqrt(len(places)))


def _hash_runs(letters: npt.NDArray[np.uint32], size: int) -> npt.NDArray[np.uint32]:
    count = len(letters) - size + 1
    hashed = np.uint32(size * 7919) ^ letters[:count]
    for offset in range(size):
        if offset:
            hashed ^= letters[offset : offset + count]
        hashed *= _MULTIPLIER
        hashed ^= hashed >> _SHIFT
    return hashed


WEIGHTS = Path(__file__).parent / "data" / "heads.npz"


@dataclass(frozen=True)
class Heads:
    """How likely a text is each of these, 0 to 1; several may hold."""

    durable: float
    """States as true what is worth knowing in some weeks, about the user or what is close."""

    asks: float
    """Can only be answered from what was told or happened before."""

    question: float
    """Asks anything at all."""

    outcome: float
    """Reports a decision, a result, a milestone, something done or failed, a plan agreed."""

    corrects: float
    """Corrects, changes or ends what was, or may have been, told before."""

    small: float
    """Greets, thanks, reacts, chats: nothing to keep and nothing to do."""

    request: float
    """Wants something written, done or explained that needs no memory."""


HEADS = tuple(field.name for field in fields(Heads))


class _Weights(NamedTuple):
    directions: Matrix
    """Principal directions of the vector, and in the last row the mean along each."""

    dense: Matrix
    grams: Matrix
    slope: Matrix
    shift: Matrix


@cache
def _weights() -> _Weights:
    with np.load(WEIGHTS) as stored:
        return _Weights(*(stored[name].astype(np.float32) for name in _Weights._fields))


def read(vectors: Sequence[Sequence[float]] | Matrix, texts: Sequence[str]) -> list[Heads]:
    """Return what each text does, by its vector from the embedder `use` and by its letters."""
    if not texts:
        return []
    weights = _weights()
    rows = np.asarray(vectors, dtype=np.float32)
    scores = dense_features(rows, texts, weights.directions) @ weights.dense
    places = [gram_places(text) for text in texts]
    scores = scores + np.array([weights.grams[p].sum(axis=0) * gram_weight(p) for p in places])
    chances = 1 / (1 + np.exp(-(weights.slope * scores + weights.shift)))
    return [Heads(*row) for row in chances.tolist()]


def of_message(whole: Heads, sentences: Sequence[Heads]) -> Heads:
    """Return what a message does: halfway between all of it and its strongest sentence.

    Whether it is small talk is told by all of it: a thank-you at the end of news is not.
    """
    if len(sentences) <= 1:
        return whole
    parts = np.array([[_logit(chance) for chance in astuple(each)] for each in sentences])
    middle = (parts.max(axis=0) + [_logit(chance) for chance in astuple(whole)]) / 2
    read = dict(zip(HEADS, (1 / (1 + np.exp(-middle))).tolist(), strict=True))
    return Heads(**{**read, "small": whole.small})


def tells(parts: Sequence[Heads]) -> float:
    """Return how likely any part of a message tells or changes something, 0 to 1.

    A part that is surely small talk, a request or a question about the past has to tell more
    plainly. Cut at the point `gate_with_model`: below it, surely nothing.
    """
    margins: list[float] = []
    for part in parts:
        against = max(_logit(part.small), _logit(part.request), _logit(part.asks))
        margins.append(_logit(part.durable) + 0.5 * _logit(part.corrects) - 0.5 * against)
    return 1 / (1 + math.exp(-max(margins)))


def _logit(chance: float) -> float:
    chance = min(max(chance, 1e-6), 1 - 1e-6)
    return math.log(chance / (1 - chance))


OutcomeKind = Literal[
    "decision", "done", "plan", "setback", "undecided", "lesson", "keep", "loss", "recall", "none"
]
"""`keep`: the user asks to keep the conversation itself; `recall`: to look back on one; `loss`:
somebody died or left, which is no outcome of anything."""
OUTCOME_KINDS: tuple[OutcomeKind, ...] = get_args(OutcomeKind)
KIND_WEIGHTS = Path(__file__).parent / "data" / "outcome_kinds.npz"
"""Written by `python -m evals.tuning.heads.kinds` from `evals/cases/outcome_kinds.yaml`."""
SCALE = 4.0


def read_kinds(vectors: Sequence[Sequence[float]]) -> list[Mapping[OutcomeKind, float]]:
    """Return how likely each sentence is of each kind, by its vector from the embedder `use`.

    The chances of one sentence add up to 1. They say which kind it would be, and not whether
    anything came of it: that is for the head `outcome`.
    """
    if not vectors:
        return []
    weights = _kind_weights()
    scores = SCALE * np.asarray(vectors, dtype=np.float32) @ weights[:-1] + weights[-1]
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    return [dict(zip(OUTCOME_KINDS, row, strict=True)) for row in chances.tolist()]


@cache
def _kind_weights() -> Matrix:
    with np.load(KIND_WEIGHTS) as stored:
        return np.asarray(stored["weights"], dtype=np.float32)


QUESTION_MAP = Path(__file__).parent / "data" / "question_map.npz"
"""Written by `python -m evals.tuning.question_map`, which also says what it gains."""


def towards_answers(vector: Sequence[float]) -> list[float]:
    """Return where the answers to a question lie, given its vector from the embedder `use`.

    `Which city am I in now?` shares neither words nor much meaning with `just moved to Glasgow`;
    what questions and their answers differ by is much the same for all of them.
    """
    reads, adds = _question_map()
    asked = np.asarray(vector, dtype=np.float32)
    answer = asked + adds @ (asked @ reads)
    return [float(each) for each in answer / np.linalg.norm(answer)]


@cache
def _question_map() -> tuple[Matrix, Matrix]:
    with np.load(QUESTION_MAP) as stored:
        return stored["reads"].astype(np.float32), stored["adds"].astype(np.float32)
