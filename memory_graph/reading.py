"""Read a message once for all nodes: its language, its sentences and the scores of the heads."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from memory_graph.embedding import load_embedder
from memory_graph.language.sentences import readable, split_sentences
from memory_graph.language.words import language_of, spelt_out

if TYPE_CHECKING:
    from memory_graph.language.heads import Heads

EMBEDDER = "use"
"""The heads were trained on this embedder's vectors, whichever one serves search."""

LONGEST_SENTENCE = 1000
"""Characters by which the heads know a text: they were trained on sentences."""

_KEPT, _KEPT_HEADS = 32, 512


@dataclass(frozen=True)
class Reading:
    """A message, its language, its sentences, and how likely each does what."""

    text: str
    language: str
    sentences: tuple[str, ...]
    vectors: tuple[list[float], ...] = field(repr=False)
    heads: tuple["Heads", ...]
    whole: "Heads"
    """Of the message: as much as its strongest sentence."""

    may_tell: bool
    """Whether the message may state or change anything; false only for what surely does not."""


_lock = Lock()
_recent: OrderedDict[str, Reading] = OrderedDict()
_recent_heads: "OrderedDict[str, Heads]" = OrderedDict()


async def read_texts(texts: Sequence[str]) -> "list[Heads]":
    """Return what each text does by itself, whatever it is part of; the same is read once."""
    from memory_graph.language.heads import read  # noqa: PLC0415 — brings numpy

    texts = [spelt_out(text) for text in texts]
    with _lock:
        known = {text: heads for text in texts if (heads := _recent_heads.get(text))}
    if new := [text for text in dict.fromkeys(texts) if text not in known]:
        known |= zip(new, read(await load_embedder(EMBEDDER).embed(new), new), strict=True)
        with _lock:
            _recent_heads.update(known)
            while len(_recent_heads) > _KEPT_HEADS:
                _recent_heads.popitem(last=False)
    return [known[text] for text in texts]


async def read_message(text: str) -> Reading:
    """Return what a message does; the same message is read once."""
    with _lock:
        if known := _recent.get(text):
            return known
    reading = await _read(text)
    with _lock:
        _recent[text] = reading
        while len(_recent) > _KEPT:
            _recent.popitem(last=False)
    return reading


async def _read(text: str) -> Reading:
    from memory_graph.language.heads import of_message, points, tells  # noqa: PLC0415 — brings numpy

    sentences = split_sentences(text)
    shown = [spelt_out(sentence[:LONGEST_SENTENCE]) for sentence in sentences]
    whole = spelt_out(readable(text)[:LONGEST_SENTENCE].strip())
    texts = shown if shown == [whole] else [*shown, whole]
    vectors = await load_embedder(EMBEDDER).embed(texts)
    heads = await read_texts(texts)
    return Reading(
        text=text,
        language=language_of(text),
        sentences=sentences,
        vectors=tuple(vectors[: len(sentences)]),
        heads=tuple(heads[: len(sentences)]),
        whole=of_message(heads[-1], heads[: len(sentences)]),
        may_tell=tells(heads) >= points()["gate_with_model"],
    )
