"""Read a message once for all nodes: its language, its sentences and the scores of the heads."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from memory_graph.embedding import load_embedder
from memory_graph.language.heads import of_message, read, read_kinds, tells
from memory_graph.language.points import points
from memory_graph.language.questions import asks_yes_or_no
from memory_graph.language.requests import wants_to_look_back
from memory_graph.language.sentences import readable, split_sentences
from memory_graph.language.words import language_of, spelt_out
from memory_graph.once import known_this_turn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory_graph.language.heads import Heads, OutcomeKind

EMBEDDER = "use"
"""The heads were trained on this embedder's vectors, whichever one serves search."""

LONGEST_SENTENCE = 1000
"""Characters by which the heads know a text: they were trained on sentences."""


@dataclass(frozen=True)
class Reading:
    """A message, its language, its sentences, and how likely each does what."""

    text: str
    language: str
    sentences: tuple[str, ...]
    vectors: tuple[list[float], ...] = field(repr=False)
    heads: tuple["Heads", ...]
    kinds: "tuple[Mapping[OutcomeKind, float], ...]" = field(repr=False)
    """Of each sentence: what came of something, if anything did."""

    mean: tuple[float, ...] = field(repr=False)
    """The mean of the vectors, of length 1; empty for no words."""

    whole: "Heads"
    """Of the message: as much as its strongest sentence."""

    may_tell: bool
    """Whether the message may state or change anything; false only for what surely does not."""


async def read_texts(texts: Sequence[str]) -> "list[Heads]":
    """Return what each text does by itself, whatever it is part of; once a turn."""
    texts, known = [spelt_out(text) for text in texts], known_this_turn("heads")
    if new := [text for text in dict.fromkeys(texts) if text not in known]:
        fresh = read(await load_embedder(EMBEDDER).embed(new), new)
        known |= zip(new, map(as_formed, new, fresh), strict=True)
    return [known[text] for text in texts]


def as_formed(text: str, heads: "Heads") -> "Heads":
    """Return what a text does, given its form: a question has one without a question mark, too."""
    if wants_to_look_back(text):
        surely = {"question": max(heads.question, 0.95), "asks": max(heads.asks, 0.8)}
    elif asks_yes_or_no(text):
        surely = {"question": max(heads.question, 0.9)}
    else:
        return heads
    states = {name: min(getattr(heads, name), 0.2) for name in ("durable", "outcome", "corrects")}
    return replace(heads, **surely, **states)


async def read_message(text: str) -> Reading:
    """Return what a message does; the same message is read once a turn."""
    known = known_this_turn("messages")
    if text not in known:
        known[text] = await _read(text)
    reading: Reading = known[text]
    return reading


async def _read(text: str) -> Reading:
    sentences = split_sentences(text)
    shown = [spelt_out(sentence[:LONGEST_SENTENCE]) for sentence in sentences]
    whole = spelt_out(readable(text)[:LONGEST_SENTENCE].strip())
    texts = shown if shown == [whole] else [*shown, whole]
    vectors = await load_embedder(EMBEDDER).embed(texts)
    heads = await read_texts(texts)
    own = vectors[: len(sentences)]
    summed = np.asarray(own).sum(axis=0) if own else np.zeros(0)
    return Reading(
        text=text,
        language=language_of(text),
        sentences=sentences,
        vectors=tuple(own),
        heads=tuple(heads[: len(sentences)]),
        kinds=tuple(read_kinds(own)),
        mean=tuple((summed / (float(np.linalg.norm(summed)) or 1.0)).tolist()),
        whole=of_message(heads[-1], heads[: len(sentences)]),
        may_tell=tells(heads) >= points()["gate_with_model"],
    )
