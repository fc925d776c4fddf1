"""Which embedder goes by which name, and how do its cosines read?

Importing this module loads neither numpy nor any weights; `load_embedder` does.
"""

import asyncio
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from threading import RLock
from typing import TYPE_CHECKING

from memory_graph.errors import ConfigurationError
from memory_graph.settings import Settings

if TYPE_CHECKING:
    from memory_graph.encoders import Encoder

UNRELATED, RELATED, SAME = 0.25, 0.6, 0.85
"""What calibrated similarity means, whatever the embedder."""

KEPT_TEXTS = 64
"""Vectors kept by text: a store with an index of its own asks for the same ones again."""

_loading = RLock()
_workers = ThreadPoolExecutor(max_workers=2, thread_name_prefix="memory-graph-embedder")


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


@dataclass(frozen=True)
class Embedder:
    """Turns texts into unit vectors, always of the same length and never with a NaN."""

    name: str
    dims: int
    scale: Scale
    build: Callable[[], "Encoder"] = field(repr=False)
    """Loads the weights; called once, by the first text, off the event loop."""

    @cached_property
    def _encoder(self) -> "Encoder":
        with _loading:
            return self.__dict__.get("_encoder") or self.build()

    @cached_property
    def _recent(self) -> "OrderedDict[str, list[float]]":
        return OrderedDict()

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one unit vector per text without holding up the event loop."""
        known = [self._recent.get(text) for text in texts]
        if all(vector is not None for vector in known):
            return [vector for vector in known if vector is not None]
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(_workers, self.embed_sync, texts)

    def embed_sync(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one unit vector per text."""
        from memory_graph.encoders import encode_unit  # noqa: PLC0415

        vectors = encode_unit(self._encoder, texts, self.dims)
        with _loading:
            self._recent.update(zip(texts, vectors, strict=True))
            while len(self._recent) > KEPT_TEXTS:
                self._recent.popitem(last=False)
        return vectors


SCALES = {
    "use": Scale(0.17, 0.58, 0.79),
    "wordllama": Scale(0.07, 0.56, 0.66),
    # Not measured here: read off public score distributions of these models.
    "text-embedding-3-small": Scale(0.20, 0.50, 0.72),
    "text-embedding-3-large": Scale(0.20, 0.50, 0.72),
    "text-embedding-ada-002": Scale(0.76, 0.84, 0.92),
}
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
        name: `use`, `wordllama`, `openai:<model>` or `openai:<model>@<dims>`.
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


@cache
def _named(name: str, base_url: str | None, api_key: str | None) -> Embedder:
    if name == "use":
        return Embedder(name, 512, SCALES[name], _build_use)
    if name == "wordllama":
        return Embedder(name, 256, SCALES[name], _build_wordllama)
    provider, _, model = name.partition(":")
    if provider != "openai" or not model:
        raise ConfigurationError(
            f"Unknown embedder {name!r}: choose `use`, `wordllama` or `openai:<model>`."
        )
    model, _, given = model.partition("@")
    dims = _openai_dims(model, given)
    shortened = dims if given and model in OPENAI_DIMS else None
    build = partial(_build_openai, model, shortened, base_url, api_key)
    return Embedder(name, dims, SCALES.get(model, SCALES["text-embedding-3-small"]), build)


def _build_use() -> "Encoder":
    from memory_graph.encoders import UseEncoder  # noqa: PLC0415

    return UseEncoder()


def _build_wordllama() -> "Encoder":
    from memory_graph.encoders import WordLlamaEncoder  # noqa: PLC0415

    return WordLlamaEncoder()


def _build_openai(
    model: str, dims: int | None, base_url: str | None, api_key: str | None
) -> "Encoder":
    from memory_graph.encoders import OpenAIEncoder  # noqa: PLC0415

    return OpenAIEncoder(model, dims, base_url=base_url, api_key=api_key)


def _openai_dims(model: str, given: str) -> int:
    if given.isdecimal() and int(given) > 0:
        return int(given)
    if given or model not in OPENAI_DIMS:
        raise ConfigurationError(
            f"How long are the vectors of {model!r}? Say it as `openai:{model}@1536`."
        )
    return OPENAI_DIMS[model]
