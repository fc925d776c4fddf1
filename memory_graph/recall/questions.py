"""Read what a message asks of memory, and which facts hold what it asks of the user's profile."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from weakref import WeakKeyDictionary
from zoneinfo import ZoneInfo

import numpy as np

from memory_graph.embedding import Embedder
from memory_graph.errors import EmbedderUnavailableError
from memory_graph.keys import ATTRIBUTES, PEOPLE, PETS, normalise
from memory_graph.language import questions as asking
from memory_graph.language import relatives
from memory_graph.language.heads import has_question_form, towards_answers
from memory_graph.language.mentions import names_in, values_in
from memory_graph.language.points import points
from memory_graph.language.times import TimeRange, find_time_phrase
from memory_graph.language.words import language_of, words_of
from memory_graph.reading import EMBEDDER, read_texts
from memory_graph.records import RecallGrade
from memory_graph.store.values import Query

if TYPE_CHECKING:
    import numpy.typing as npt

    from memory_graph.language.heads import Heads

_QUESTIONS = Path(__file__).parents[1] / "language" / "data" / "questions.json"

_ASKS, _TELLS, _MAY_ASK = (points()[name] for name in ("asks_surely", "tells", "may_ask"))
"""What tells something, and hardly asks or has no form of a question, is none, however much it
looks back: `Next Saturday is my mum's birthday` is no question. `python -m evals run
recall-intent` has F1 .868/.909 with it, .871/.912 with a higher bar and without the form.
"""

_SMALL = points()["small"]
_ALIKE = 0.72
"""Similarity (calibrated, 0–1) from which a question is one of those in the file."""

ATTRIBUTES_ASKED: Mapping[str, frozenset[str]] = {
    "name": frozenset({"name", "nickname", "surname"}),
    "city": frozenset({"city", "address"}),
    "job": frozenset({"job", "study"}),
    "employer": frozenset({"employer", "school"}),
    "age": frozenset({"age", "birthday"}),
    "birthday": frozenset({"birthday"}),
    "diet": frozenset({"diet", "eat"}),
    "allergy": frozenset({"allergy", "intolerance"}),
}

KINDS: Mapping[str, frozenset[str]] = {"family": PEOPLE, "pet": PETS}

_EVERYBODY = frozenset(
    "family familie familia famille famiglia família relative pet haustier mascota animal".split()
)
"""What asks for all of a kind, instead of one brother or one cat."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A message as memory reads it."""

    text: str
    grade: RecallGrade
    """`explicit`: it asks for what was told or happened; `implicit`: it asks anything else."""

    language: str = "en"
    phrase: TimeRange | None = None
    topic: str = ""
    attribute: str | None = None
    """What it asks of the user's profile: `name`, `city`, ...; `me` for all of it, `rules` for
    the instructions."""

    typical: Sequence[float] | None = field(default=None, repr=False)
    """The meaning of what people tell of that attribute, which their words may not share."""

    others: "npt.NDArray[np.float32] | None" = field(default=None, repr=False, compare=False)
    """The vectors of other people's questions: an answer to this one fits few of them better."""

    is_for_anything: bool = False
    """It names a time and no topic: whatever was said then answers it."""

    is_small_talk: bool = False  # it greets, thanks or reacts, and neither asks nor tells
    is_request: bool = False  # it asks for something to be done, and tells nothing

    @property
    def asks(self) -> bool:
        """Whether it is a question, about the past or not."""
        return self.grade != "none"

    @property
    def does(self) -> Literal["asks", "tells", "requests", "small_talk"]:
        """What the message does, mostly."""
        if self.asks:
            return "asks"
        return "requests" if self.is_request else "small_talk" if self.is_small_talk else "tells"


@dataclass(frozen=True)
class Sought:
    """What a question wants of the lines."""

    text: str = ""
    language: str = "en"
    kin: tuple[frozenset[str], ...] = ()  # whom it names as a relative, each by its words
    values: frozenset[str] = frozenset()  # kinds of value of which an answer has one
    is_former: bool = False  # it asks what was so before
    is_of_past: bool = False  # it asks what was told or happened, not anything else
    is_of_user: bool = False  # it asks of the user alone: `Where do I work?`
    names_another: bool = False  # it asks what somebody else is called
    attribute: str | None = None  # what it asks of the user's profile
    is_verbatim: bool = False  # it asks for a time or for the very words: quotations count
    phrase: TimeRange | None = None  # the time it asks about

    @classmethod
    def of(cls, text: str, asked: "Asked") -> "Sought":
        """Read one question of a message."""
        if not asked.asks:
            return cls(text, asked.language)
        kin = relatives.relatives_asked(text)
        return cls(
            text,
            asked.language,
            kin=kin,
            is_of_past=asked.grade == "explicit",
            values=asking.wanted_values(text),
            is_former=asking.asks_for_former(text),
            is_of_user=asking.asks_of_user(text) and not names_in(text) and not kin,
            names_another=_names_another(text, asked.language),
            attribute=asked.attribute,
            is_verbatim=asked.phrase is not None or asking.asks_for_wording(text),
            phrase=asked.phrase,
        )

    @property
    def wants_day_or_amount(self) -> bool:
        """Whether an answer has a value other than a name."""
        return bool(self.values) and "name" not in self.values

    def is_told_by(self, text: str) -> bool:
        """Say whether a text has a value of a kind that is wanted, or a name nobody mentioned."""
        if "name" in self.values:
            return bool(names_in(text) - names_in(self.text))
        return any(value.kind in self.values for value in values_in(text))


def _names_another(text: str, language: str) -> bool:
    rest = asking.without_naming(text) if asking.asks_for_name(text) else ""
    return bool(words_of(rest, language))


async def read_question(query: Query, embedder: Embedder, now: datetime, zone: ZoneInfo) -> Asked:
    """Return what a message asks, by the heads, its time phrase and its likeness to set ones.

    Where the embedder fails, likeness does not count.
    """
    try:
        return await _read_question(query, embedder, now, zone)
    except EmbedderUnavailableError:
        return await _read_question(replace(query, vector=None), embedder, now, zone)


async def _read_question(query: Query, embedder: Embedder, now: datetime, zone: ZoneInfo) -> Asked:
    text, vector = query.text, query.vector
    known = await _known(embedder) if vector is not None else None
    [heads] = await read_texts([text])
    is_set = known is not None and vector is not None and known.is_for_anything(vector)
    asked = Asked(text=text, language=language_of(text), grade=_grade(heads, text, is_set=is_set))
    if not asked.asks:
        told = max(heads.durable, heads.outcome)
        return replace(
            asked,
            is_small_talk=heads.small >= _SMALL > heads.durable,
            is_request=heads.request >= _SMALL > told,
        )
    phrase = find_time_phrase(text, now=now, zone=zone)
    topic = asking.topic_of(text, phrase.phrase if phrase else None)
    others = known.others if known else None
    asked = replace(asked, phrase=phrase, topic=topic, others=others)
    if known is None or vector is None:
        return replace(asked, is_for_anything=phrase is not None and not topic)
    if phrase is None:
        attribute = known.attribute(vector)
        return replace(asked, attribute=attribute, typical=known.typical(attribute, text))
    [about] = await embedder.embed([" ".join(text.replace(phrase.phrase, " ").split())])
    is_for_anything = known.is_for_anything(about)
    if not topic and not is_for_anything and asked.grade == "implicit":
        return replace(asked, grade="none", is_small_talk=True)  # `How are you today?`
    return replace(asked, is_for_anything=not topic or is_for_anything)


def _grade(heads: "Heads", text: str, *, is_set: bool) -> RecallGrade:
    may_ask = heads.question >= _MAY_ASK and has_question_form(text)
    tells = max(heads.durable, heads.outcome) >= _TELLS and not may_ask
    if is_set or (heads.asks >= _ASKS and not tells):
        return "explicit"
    return "implicit" if (may_ask or heads.question >= _ASKS) and not tells else "none"


class _Known:
    """Set questions and their vectors, made once per embedder."""

    def __init__(self, embedder: Embedder) -> None:
        stored = json.loads(_QUESTIONS.read_text(encoding="utf-8"))
        profile = [(name, each) for name, texts in stored["profile"].items() for each in texts]
        self._scale = embedder.scale
        self._attributes = [name for name, _ in profile]
        self._profile = np.asarray(embedder.embed_sync([text for _, text in profile]))
        self._anything = np.asarray(embedder.embed_sync(stored["anything"]))
        others = embedder.embed_sync(stored["others"])
        if embedder.name == EMBEDDER:
            others = [towards_answers(each) for each in others]
        self.others = np.asarray(others, dtype=np.float32)
        self._typical: dict[str, Sequence[float]] = {}
        for name, texts in stored["typical"].items():
            middle = np.asarray(embedder.embed_sync(texts)).mean(axis=0)
            self._typical[name] = list(middle / np.linalg.norm(middle))

    def attribute(self, vector: Sequence[float]) -> str | None:
        """Return which attribute a question asks for, if it is much like one that does."""
        cosines = self._profile @ vector
        best = int(cosines.argmax())
        is_alike = self._scale.similarity(float(cosines[best])) >= _ALIKE
        return self._attributes[best] or None if is_alike else None

    def typical(self, attribute: str | None, text: str) -> Sequence[float] | None:
        """Return the meaning of what people tell of an attribute of their own, or of their own."""
        is_own = attribute in KINDS or not relatives.relatives_asked(text)
        return self._typical.get(attribute or "") if is_own else None

    def is_for_anything(self, vector: Sequence[float]) -> bool:
        """Return whether a question without its time asks for whatever was said then."""
        return self._scale.similarity(float((self._anything @ vector).max())) >= _ALIKE


_known_by: "WeakKeyDictionary[Embedder, _Known]" = WeakKeyDictionary()


async def _known(embedder: Embedder) -> _Known:
    if (known := _known_by.get(embedder)) is None:
        known = _known_by[embedder] = await asyncio.to_thread(_Known, embedder)
    return known


def asks_for_all(question: str) -> bool:
    """Say whether a question asks for all of a family, or all pets."""
    return not _EVERYBODY.isdisjoint(normalise(question).split("-"))


def keys_of(attribute: str) -> list[str]:
    """Return the keys under which an attribute of the user's is filed, whatever is searched."""
    rules = {name: ATTRIBUTES[name] for name in ATTRIBUTES_ASKED.get(attribute, ())}
    return [f"{rule.category}:{name}" for name, rule in rules.items() if rule.arity == "single"]
