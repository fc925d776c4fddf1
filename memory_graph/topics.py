"""Which texts are about a topic that is never kept."""

import re
from collections.abc import Sequence

from memory_graph.embedding import load_embedder
from memory_graph.language.words import words_of

EMBEDDER = "use"
ALIKE = 0.22
"""Cosine with a part of a topic from which a text is about it. Of 31 sentences in five languages on
six topics 27 are found, of 20 on none of them 1 is taken for one (`evals.tuning.topics`).
"""

MASKED = "[…]"
_PARTS = re.compile(r"[:;,]|\b(?:and|or|und|oder|y|o|et|ou|e)\b")


async def about_any(texts: Sequence[str], topics: Sequence[str]) -> list[bool]:
    """Say of each text whether it is about one of the topics, by its words or its meaning.

    A topic may name what belongs to it: `health: illness, medication, pregnancy`.
    """
    import numpy as np  # noqa: PLC0415 — importing the package must stay light

    if not texts or not topics:
        return [False] * len(texts)
    parts = [part.strip() for topic in topics for part in _PARTS.split(topic) if part.strip()]
    vectors = np.asarray(await load_embedder(EMBEDDER).embed([*texts, *parts]))
    nearest = (vectors[: len(texts)] @ vectors[len(texts) :].T).max(axis=1)
    wanted = {word for part in parts for word in words_of(part)}
    return [
        bool(near >= ALIKE or wanted & set(words_of(text)))
        for text, near in zip(texts, nearest, strict=True)
    ]


async def without_topics(sentences: Sequence[str], text: str, topics: Sequence[str]) -> str:
    """Return a text in which the sentences about any of the topics are masked."""
    found = await about_any(sentences, topics)
    for sentence, is_about in zip(sentences, found, strict=True):
        if is_about:
            text = text.replace(sentence, MASKED)
    return text
