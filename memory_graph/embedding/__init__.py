"""Embedders by name, and the scale that makes their cosines comparable.

Importing this module loads neither numpy nor any weights; `load_embedder` does.
"""

import asyncio
import json
import os
import time
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from pathlib import Path
from statistics import median
from threading import RLock
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from langgraph.store.base import BaseStore

from memory_graph import framework
from memory_graph.embedding import encoders
from memory_graph.embedding.encoders import (
    EmbeddingsEncoder,
    aencode_unit,
    encode_unit,
)
from memory_graph.errors import ConfigurationError, EmbedderUnavailableError
from memory_graph.once import digest_of
from memory_graph.settings import Settings, get_settings

if TYPE_CHECKING:
    from memory_graph.embedding.encoders import Encoder


UNRELATED, RELATED, SAME = 0.25, 0.6, 0.85
"""What calibrated similarity means, whatever the embedder."""

KEPT_TEXTS = 64
"""Vectors kept by text: a store with an index of its own asks for the same ones again."""

_loading = RLock()
_workers: ThreadPoolExecutor


def _start_workers() -> None:
    global _workers
    _workers = ThreadPoolExecutor(max_workers=2, thread_name_prefix="memory-graph-embedder")


_start_workers()
if hasattr(os, "register_at_fork"):  # Windows forks nothing
    os.register_at_fork(after_in_child=_start_workers)


@dataclass(frozen=True)
class Scale:
    """How one embedder's cosines read; `evals/similarity.py` measures the anchors."""

    unrelated: float
    """Hardly any pair of unrelated statements reaches this cosine: reads as 0.25."""

    related: float
    """Typical for the same words about another fact: reads as 0.6."""

    same: float
    """Typical for a paraphrase: reads as 0.85."""

    def __post_init__(self) -> None:
        if not 0 < self.unrelated < self.related < self.same < 1:
            raise ConfigurationError(f"The anchors of a scale must rise within 0–1, got {self!r}.")

    @property
    def points(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Where the curve from cosine to similarity bends, and what it reads there."""
        cosines = (0.0, self.unrelated, self.related, self.same, 1.0)
        return cosines, (0.0, UNRELATED, RELATED, SAME, 1.0)

    def similarity(self, cosine: float) -> float:
        """Return `cosine` as calibrated similarity, 0–1, linear between the anchors."""
        xs, ys = self.points
        if not cosine > 0:
            return 0.0
        if cosine >= 1:
            return 1.0
        right = bisect_left(xs, cosine)
        share = (cosine - xs[right - 1]) / (xs[right] - xs[right - 1])
        return ys[right - 1] + share * (ys[right] - ys[right - 1])


@dataclass(eq=False)
class Embedder:
    """Turns texts into unit vectors, always of the same length and never with a NaN."""

    name: str
    dims: int
    """How long vectors are; 0 until the first one, where nobody says it."""

    scale: Scale
    build: Callable[[], "Encoder | EmbeddingsEncoder"] = field(repr=False)
    """Loads the weights; called once, by the first text, off the event loop."""

    is_remote: bool = False
    """It may fail and it may take long: somebody else's service, or somebody else's code."""

    @cached_property
    def _encoder(self) -> "Encoder | EmbeddingsEncoder":
        with _loading:
            return self.__dict__.get("_encoder") or self.build()

    @cached_property
    def _recent(self) -> "OrderedDict[bytes, list[float]]":
        """Vectors by the digests of their texts: what users say is not kept for the process."""
        return OrderedDict()

    @cached_property
    def _rest(self) -> list[float]:
        """Until when it is left alone after a failure; empty if it never failed."""
        return []

    @property
    def is_calibrated(self) -> bool:
        """Whether its scale was measured, and is no guess."""
        return self.scale is not UNMEASURED

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one unit vector per text without holding up the event loop.

        Raises:
            EmbedderUnavailableError: If there are none, whatever the reason; for a while after
                that nobody waits for it again.
        """
        known = {text: vector for text in texts if (vector := self._recent.get(digest_of(text)))}
        if new := [text for text in dict.fromkeys(texts) if text not in known]:
            known |= zip(new, await self._embed(new), strict=True)
        return [known[text] for text in texts]

    async def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        loop = asyncio.get_running_loop()
        if not self.is_remote:
            return await loop.run_in_executor(_workers, self.embed_sync, texts)
        with self._watched():
            encoder = await loop.run_in_executor(_workers, lambda: self._encoder)
            async with asyncio.timeout(get_settings().limits.embedder_timeout_s):
                return self._kept(texts, await self._ask(encoder, texts))

    async def _ask(
        self, encoder: "Encoder | EmbeddingsEncoder", texts: Sequence[str]
    ) -> list[list[float]]:
        if isinstance(encoder, EmbeddingsEncoder):
            return await aencode_unit(encoder, texts, self.dims)
        return await asyncio.to_thread(encode_unit, encoder, texts, self.dims)

    def embed_sync(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one unit vector per text.

        Raises:
            EmbedderUnavailableError: As `embed` does.
        """
        with self._watched() if self.is_remote else nullcontext():
            return self._kept(texts, encode_unit(self._encoder, texts, self.dims))

    def _kept(self, texts: Sequence[str], vectors: list[list[float]]) -> list[list[float]]:
        with _loading:
            self.dims = self.dims or (len(vectors[0]) if vectors else 0)
            self._recent.update(zip(map(digest_of, texts), vectors, strict=True))
            while len(self._recent) > KEPT_TEXTS:
                self._recent.popitem(last=False)
        return vectors

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Make any vendor's error one of ours, and give the vendor some rest after it."""
        if self._rest and time.monotonic() < self._rest[-1]:
            raise EmbedderUnavailableError(f"Embedder {self.name!r} failed a moment ago.")
        try:
            yield
        except ConfigurationError:
            raise
        except Exception as error:
            self._rest[:] = [time.monotonic() + REST_S]
            raise EmbedderUnavailableError(
                f"Embedder {self.name!r} failed ({type(error).__name__})."
            ) from error


REST_S = 20.0
"""How long an embedder that failed is left alone."""

UNMEASURED = Scale(0.30, 0.55, 0.75)
"""What an embedder reads by until it is measured, at its first use with a store."""

SCALES = {
    "use": Scale(0.17, 0.58, 0.79),
    "wordllama": Scale(0.07, 0.56, 0.66),
    # Not measured here: read off public score distributions of these models.
    "text-embedding-3-small": Scale(0.20, 0.50, 0.72),
    "text-embedding-3-large": Scale(0.20, 0.50, 0.72),
    "text-embedding-ada-002": Scale(0.76, 0.84, 0.92),
}

_BUILT_IN = {"use": 512, "wordllama": 256}
"""Embedders that come with the package, and how long their vectors are."""

OPENAI_DIMS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}


def load_embedder(
    name: str, *, base_url: str | None = None, api_key: str | None = None
) -> Embedder:
    """Return the embedder called `name`; the same object for every caller in the process.

    Args:
        name: `use`, `wordllama`, or `<provider>:<model>` of langchain's `init_embeddings`; with
            `@<dims>` at the end, vectors of that length.
        base_url: An OpenAI-compatible endpoint, for `openai:` names.
        api_key: Its key.

    Raises:
        ConfigurationError: If the name is unknown, or what it needs is not installed.
    """
    return _named(name, base_url, api_key)


def configured_embedder(settings: Settings) -> Embedder:
    """Return the embedder that the settings name.

    Raises:
        ConfigurationError: As `load_embedder` does.
    """
    key = settings.openai_api_key
    return load_embedder(
        settings.embedder,
        base_url=settings.openai_base_url,
        api_key=key.get_secret_value() if key else None,
    )


_bound: "WeakKeyDictionary[BaseStore, Embedder]" = WeakKeyDictionary()


def use_embedder(store: BaseStore, given: object, dims: int = 0) -> Embedder:
    """Let memory in a store be searched by anybody's embedder.

    Args:
        store: The store a graph is compiled with.
        given: LangChain's `Embeddings`, a function from texts to vectors that may be
            asynchronous, or a name.
        dims: How long its vectors are, if you know it.
    """
    embedder = as_embedder(given, dims)
    _bound[store] = embedder
    return embedder


def as_embedder(given: object, dims: int = 0) -> Embedder:
    """Return anybody's embedder as one of ours.

    Raises:
        ConfigurationError: If it is none.
    """
    owner = getattr(given, "__self__", given)
    if isinstance(owner, Embedder):
        return owner
    if isinstance(given, str):
        return load_embedder(given)
    from langchain_core.embeddings import Embeddings  # noqa: PLC0415
    from langgraph.store.base.embed import EmbeddingsLambda, ensure_embeddings  # noqa: PLC0415

    if not isinstance(given, Embeddings) and not callable(given):
        raise ConfigurationError(
            f"A {type(given).__name__} is no embedder: give LangChain's `Embeddings`, a function "
            "from texts to vectors, or a name such as `openai:text-embedding-3-small`."
        )
    embeddings = ensure_embeddings(given)
    function = given if isinstance(embeddings, EmbeddingsLambda) else None
    name = _name_of(getattr(given, "func", None) or function or embeddings)
    return Embedder(
        name, dims, _scale_of(name), partial(EmbeddingsEncoder, embeddings), is_remote=True
    )


def embedder_for(store: BaseStore, settings: Settings) -> Embedder:
    """Return what memory in a store is searched by.

    That is an embedder that somebody gave for it, else the one settings name, else the one of
    the store's own index, else the built-in one.

    Raises:
        ConfigurationError: As `load_embedder` does.
    """
    if (found := _bound.get(store)) is not None:
        return found
    index = framework.index_of(store)
    embed = index.get("embed")
    if embed is None or "embedder" in settings.model_fields_set or _is_ours(embed):
        return configured_embedder(settings)
    return use_embedder(store, embed, int(index.get("dims") or 0))


def _is_ours(embed: object) -> bool:
    """Say whether an index is filled by what the settings name, as on LangGraph Server."""
    function = getattr(embed, "afunc", None) or getattr(embed, "func", None) or embed
    owner = getattr(function, "__self__", function)
    return isinstance(owner, Embedder) or getattr(function, "__module__", "").startswith(
        "memory_graph.server"
    )


def _name_of(given: object) -> str:
    """Return how vectors say who made them; another model must get another name."""
    if not isinstance(given, type) and hasattr(given, "__qualname__"):
        return f"{given.__module__}.{given.__qualname__}"
    named = (getattr(given, name, None) for name in ("model", "model_name", "model_id"))
    model = next((str(each) for each in named if isinstance(each, str) and each), "")
    return f"{type(given).__name__}:{model}" if model else type(given).__name__


def _scale_of(name: str) -> Scale:
    return SCALES.get(name.rpartition(":")[2], UNMEASURED)


@cache
def _named(name: str, base_url: str | None, api_key: str | None) -> Embedder:
    if name in _BUILT_IN:
        return Embedder(name, _BUILT_IN[name], SCALES[name], partial(_build, name))
    provider, _, rest = name.partition(":")
    model, _, given = rest.partition("@")
    if not provider or not model:
        raise ConfigurationError(
            f"Unknown embedder {name!r}: choose `use`, `wordllama` or `<provider>:<model>`, such "
            "as `openai:text-embedding-3-small`."
        )
    dims = _dims(name, model, given)
    shortened = dims if given and model in OPENAI_DIMS else None
    build = partial(_build, provider, model, shortened, base_url, api_key)
    return Embedder(name, dims, _scale_of(f":{model}"), build, is_remote=True)


def _build(
    provider: str,
    model: str = "",
    dims: int | None = None,
    base_url: str | None = None,
    api_key: str | None = None,
) -> "Encoder | EmbeddingsEncoder":
    if provider == "use":
        return encoders.UseEncoder()
    if provider == "wordllama":
        return encoders.WordLlamaEncoder()
    if provider == "openai":
        made = encoders.openai_embeddings(model, dims, base_url=base_url, api_key=api_key)
        return encoders.EmbeddingsEncoder(made)
    return encoders.EmbeddingsEncoder(encoders.provider_embeddings(provider, model))


def _dims(name: str, model: str, given: str) -> int:
    if given and not (given.isdecimal() and int(given) > 0):
        raise ConfigurationError(
            f"How long are the vectors of {name!r}? Say it as `{name.partition('@')[0]}@1536`, or "
            "leave it out and they are measured."
        )
    return int(given) if given else OPENAI_DIMS.get(model, 0)


_PACKAGED = Path(__file__).parent / "similarity_pairs.jsonl"
_IN_REPOSITORY = Path(__file__).parents[2] / "evals" / "cases" / "similarity_pairs.jsonl"


@dataclass(frozen=True)
class Calibration:
    """How an embedder's cosines read, as measured on pairs of statements with labels."""

    scale: Scale
    separation: float
    """How often a paraphrase scores above the same words about another fact, 0–1."""

    pairs: int


async def calibrate(embedder: Embedder) -> Calibration:
    """Measure an embedder on the pairs that come with this package.

    Raises:
        EmbedderUnavailableError: If it gives no vectors.
        ConfigurationError: If it cannot tell what is alike from what is not.
    """
    path = _PACKAGED if _PACKAGED.is_file() else _IN_REPOSITORY
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    left = await embedder.embed([row["a"] for row in rows])
    right = await embedder.embed([row["b"] for row in rows])
    cosines: dict[str, list[float]] = {}
    for row, one, other in zip(rows, left, right, strict=True):
        cosine = sum(x * y for x, y in zip(one, other, strict=True))
        cosines.setdefault(row["label"], []).append(cosine)
    same, different = cosines["same"], cosines["different"]
    unrelated = sorted(cosines["unrelated"])
    apart = max(unrelated[int(0.95 * len(unrelated))], 0.01)
    try:
        scale = Scale(*(round(each, 3) for each in (apart, median(different), median(same))))
    except ConfigurationError as error:
        raise ConfigurationError(
            f"Embedder `{embedder.name}` does not tell paraphrases from other statements: "
            "choose another."
        ) from error
    wins = sum(one > other for one in same for other in different)
    return Calibration(scale, round(wins / (len(same) * len(different)), 3), len(rows))
