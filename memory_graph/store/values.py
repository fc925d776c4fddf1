"""Convert records to stored values and back, and extract what an index needs."""

import base64
import binascii
import logging
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, Required, TypedDict, TypeVar

import numpy as np
import orjson
from pydantic import JsonValue, ValidationError

from memory_graph.embedding import Embedder
from memory_graph.language.voices import Voices
from memory_graph.language.words import words_of
from memory_graph.policies import RankingWeights
from memory_graph.records import Record, Signal

if TYPE_CHECKING:
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]


Value = Mapping[str, Any]
"""A record as it is stored, not validated yet."""


class Document(NamedTuple):
    """One item to be found: a fact, an episode or a verbatim turn.

    A tuple, because thousands are made when a namespace is read.
    """

    key: str
    text: str
    said_at: float
    """Seconds since the epoch."""

    vector: "Vector | Sequence[float] | None" = None
    """The embedding of the text, of unit length."""

    speaker: str | None = None
    group: str | None = None
    """The session or thread it belongs to; a fact has none."""

    position: int = 0
    """Its place within the group, which no other item holds."""

    importance: int = 3
    pinned: bool = False
    about: tuple[float, float] | None = None
    """The time it speaks of, where that is another than when it was said; the end is not in it."""

    tells: bool = True
    """Whether it tells anything; what does not is never found, nor lends it words to others."""

    words: Sequence[str] | None = None
    """The stems of the text, where they are known; read off the text if not."""

    facets: Mapping[str, str] = MappingProxyType({})
    """What else is known of it by name, such as the episode that it continues."""

    listed: Mapping[str, str] = MappingProxyType({})
    """What is known by name of one that may tell nothing, such as its thread."""


class Fields(TypedDict, total=False):
    """What a kind of record says about a document, as `Document` explains it."""

    said_at: Required[float]
    speaker: str
    group: str
    position: int
    importance: int
    pinned: bool
    about: tuple[float, float] | None
    tells: bool
    facets: Mapping[str, str]
    listed: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Window:
    """A stretch of time a query asks about, in seconds since the epoch; `end` is not in it."""

    start: float
    end: float
    mode: Literal["soft", "hard"] = "soft"
    """`hard` leaves out whatever was said at another time."""


@dataclass(frozen=True, kw_only=True)
class Query:
    """What is looked for."""

    text: str
    now: float
    vector: Sequence[float] | None = field(default=None, repr=False)
    """The embedding of `without_names(text, voices.participants)`."""

    asks: bool = False
    """It is a question, whose vector is that of its answers."""

    others: "Vector | None" = field(default=None, repr=False, compare=False)
    """The vectors of other questions, which what answers this one does not fit."""

    cosines: Mapping[str, float] | None = field(default=None, repr=False)
    """Cosines by key, where a store has computed them; they take the place of `vector`."""

    topic: str = ""
    """The words an item must have to be relevant; the others only help to rank it."""

    voices: Voices = field(default_factory=Voices)
    window: Window | None = None
    weights: RankingWeights = field(default_factory=RankingWeights)


@dataclass(frozen=True, kw_only=True)
class Sought:
    """What a store is asked to choose the candidates of a search by."""

    words: tuple[str, ...] = ()
    vector: Sequence[float] | None = field(default=None, repr=False)
    window: Window | None = None
    near: int = 30
    """How many by meaning."""

    told: int = 40
    """How many by words, and as many by the time asked about."""

    latest: int = 8
    """How many of the latest, and as many that are pinned."""


@dataclass(frozen=True)
class Statistics:
    """What a store knows of the words of a whole namespace."""

    documents: int
    found: Mapping[str, int]
    """How many documents have each word of the question."""

    length: float
    """How many words a document has, on average."""


@dataclass(frozen=True)
class Candidates:
    """What a store chose: documents without their vectors, and how alike each is."""

    values: Mapping[str, Value]
    cosines: Mapping[str, float]
    statistics: Statistics


@dataclass(frozen=True)
class Hit:
    """One item found, and what each signal added to its score."""

    key: str
    score: float
    parts: dict[Signal, float]
    relevance: float = 0.0
    """How well it fits the topic, 0–1, in words and meaning alone, with what was said around it."""

    words: float = 0.0
    """The share of the topic's words, by rarity, that it has itself."""

    meaning: float = 0.0
    """Its own calibrated similarity."""

    outdone: int | None = None
    """How many of the other questions it is closer to in meaning, where that is known."""


R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Kind(Generic[R]):
    """What the store must know about one kind of record."""

    label: str
    """Last part of the namespace."""

    name: str
    """What people call one of them."""

    record: type[R]
    record_id: Callable[[R], str]
    text: Callable[[R], str]
    """What is searched for: embedded, and matched word by word."""

    filters: Callable[[R], dict[str, JsonValue]]
    """Flat fields that stores can filter on: equality, or ranges of epoch seconds."""

    fields: Callable[[Value], Fields]
    """What the index knows besides the text, read off the stored value as it is.

    Thousands are read for a few hits, and only hits are validated. May raise `KeyError`,
    `TypeError` or `ValueError` for a value that is none of this kind.
    """

    in_store: bool = False
    """Whether a store that searches itself can search the kind: it knows what `fields` reads."""

    is_searched: Callable[[R], bool] = lambda _: True
    """Whether a record is found by what it means; one that is not needs no vector."""


def epoch_of(stored: str) -> float:
    """Return a stored time as seconds since the epoch."""
    return datetime.fromisoformat(stored).timestamp()


def pack(vector: Sequence[float], model: str) -> dict[str, JsonValue]:
    """Return a vector as a small JSON value that names the embedder it came from."""
    halves = np.asarray(vector, dtype="<f2")
    return {"model": model, "f16": base64.b64encode(halves.tobytes()).decode("ascii")}


def unpack(values: Iterable[Mapping[str, object]], model: str, dims: int) -> "list[Vector | None]":
    """Return the vector kept in each stored value, or nothing where `model` made none of `dims`."""
    packed = [_halves(value.get("embedding"), model, dims) for value in values]
    if not dims:  # not told yet: as long as the first one
        dims = next((len(halves) // 2 for halves in packed if halves), 0)
        packed = [halves if len(halves) == 2 * dims else b"" for halves in packed]
    if not any(packed):
        return [None] * len(packed)
    known = b"".join(halves for halves in packed if halves)
    vectors = iter(np.frombuffer(known, dtype="<f2").astype("<f4").reshape(-1, dims))
    return [next(vectors) if halves else None for halves in packed]


def _halves(packed: object, model: str, dims: int) -> bytes:
    """Return the bytes of a vector; none if it is another model's, of another length or broken."""
    if not isinstance(packed, dict) or packed.get("model") != model:
        return b""
    try:
        halves = binascii.a2b_base64(packed["f16"])
    except (KeyError, TypeError, ValueError):
        return b""
    return halves if not dims or len(halves) == 2 * dims else b""


_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

_NUL = rb"\u0000"
"""As JSON writes it."""


def to_jsonable(value: object) -> JsonValue:
    """Return `value` as JSON that Postgres takes too.

    NUL characters and lone surrogates become U+FFFD, NaN and infinity become null;
    the in-memory store would accept them all and hide the mistake.
    """
    try:
        encoded = orjson.dumps(value)
    except TypeError:  # a lone surrogate, or no JSON
        return _cleaned(value)
    plain: JsonValue = orjson.loads(encoded)
    return _cleaned(plain) if _NUL in encoded else plain


def _cleaned(value: object) -> JsonValue:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {clean_text(str(key)): _cleaned(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_cleaned(inner) for inner in value]
    return clean_text(str(value))


def clean_text(text: str) -> str:
    """Return `text` without the characters that a JSONB column refuses."""
    return _UNSTORABLE.sub(_REPLACEMENT, text)


logger = logging.getLogger(__name__)

UNEMBEDDED: dict[str, JsonValue] = {"unembedded": 1}
"""What a value holds in place of a vector while the embedder was down; stores can filter on it."""

STEMS = "stems"
"""The words of the text as search knows them, so that a store can find them, too."""


def stems_of(text: str) -> str:
    """Return the words of a text as a store keeps them: each stem as often as it is there."""
    return " ".join(words_of(text))


def encode(
    kind: Kind[R], record: R, now: datetime, embedding: dict[str, JsonValue] | None
) -> dict[str, JsonValue]:
    """Return the value that keeps a record, with what stores filter on and the index reads."""
    value = to_jsonable(
        {
            **record.model_dump(mode="json"),
            **kind.filters(record),
            "text": kind.text(record),
            STEMS: stems_of(kind.text(record)) if kind.in_store else "",
            "written_epoch": int(now.timestamp()),
        }
    )
    assert isinstance(value, dict)
    if embedding is not None:
        return {**value, "embedding": embedding}
    return {**value, **UNEMBEDDED} if kind.is_searched(record) else value


def embedding_of(vector: list[float] | None, embedder: Embedder) -> dict[str, JsonValue] | None:
    """Return a vector as values keep it."""
    return None if vector is None else pack(vector, embedder.name)


def decode(kind: Kind[R], value: Value) -> R | None:
    """Return the record a value keeps; an unreadable one costs itself and a warning."""
    try:
        return kind.record.model_validate(value)
    except ValidationError as error:
        _warn(kind, error.error_count())
        return None


def documents(kind: Kind[R], values: Mapping[str, Value], embedder: Embedder) -> Iterable[Document]:
    """Yield what the index needs of each value; an unreadable one costs itself and a warning."""
    vectors = unpack(values.values(), embedder.name, embedder.dims)
    _tell_of_others(values.values(), embedder.name)
    for (key, value), vector in zip(values.items(), vectors, strict=True):
        try:
            fields = kind.fields(value)
            text = str(value["text"])
        except (KeyError, TypeError, ValueError, OverflowError):
            _warn(kind, 1)
        else:
            yield Document(key=key, text=text, vector=vector, **fields)


def candidate_documents(kind: Kind[R], found: Candidates) -> Iterable[Document]:
    """Yield what an index needs of the candidates that a store chose."""
    for key, value in found.values.items():
        try:
            fields = kind.fields(value)
        except (KeyError, TypeError, ValueError, OverflowError):
            _warn(kind, 1)
        else:
            text = "?" if value.get("asks") else ""
            yield Document(key=key, text=text, words=str(value[STEMS]).split(), **fields)


def _tell_of_others(values: Iterable[Value], model: str) -> None:
    """Say that vectors of another embedder cannot be compared with those of this one."""
    packed = (value.get("embedding") for value in values)
    models = {str(each.get("model")) for each in packed if isinstance(each, dict)}
    for other in sorted(models - {model}):
        warn_once(
            f"Memories were embedded by {other!r}, but {model!r} is configured: they are found by "
            f"words alone. Set `MEMORY_GRAPH_EMBEDDER={other}`, or run `memory-graph reembed`."
        )


@cache
def warn_once(told: str) -> None:
    """Log a warning, the first time only: it would come with every turn."""
    logger.warning(told)


def _warn(kind: Kind[R], problems: int) -> None:
    logger.warning(
        "Skipping an unreadable %s (%d problems); `memory-graph validate` lists them.",
        kind.name,
        problems,
    )
