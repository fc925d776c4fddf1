"""Which pairs of sentences teach what makes a sentence past?"""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from memory_graph.embedding import load_embedder

CASES = Path(__file__).parents[2] / "cases"
PAST = frozenset({"replaces", "ends"})
FOLDS = 5
NEAR = 0.45
"""Sentences of different cases with a higher cosine may be about the same thing after all."""

ALWAYS_SEEN = frozenset({"talks", "long talks", "strangers", "statements"})
"""Sources without a sealed part."""

_HAND = {"replaces": "replaces", "ends": "ends", "same": "same"}
_UPDATES = {"correct": "replaces", "retraction": "ends", "refine": "same"}
# The older files know only "one fact or two"; read by hand where one fact means a change.
_SAID_AGAIN = {"same07", "same11", "same23", "same27", "same30", "same37"}
_ENDED = {
    *"same02 same14 same15 same17 same25 same31 same33 same36 same38 same40".split(),
    *"named-033 named-039 named-051 named-057 one-24".split(),
}
_CHANGED = {f"one-{number}" for number in range(18, 30)}


@dataclass(frozen=True)
class Candidate:
    """An older sentence, and what the new one does to it."""

    text: str
    kind: str
    drawn: bool = False
    """Taken from another case to stand beside: surely another matter."""

    just_said: bool = False
    """Said right before the new one."""


@dataclass(frozen=True)
class Case:
    """A new sentence and the older ones it is judged against."""

    source: str
    language: str
    new: str
    olds: tuple[Candidate, ...]
    key: str
    """Cases with the same key share sentences and stay in one part."""

    @property
    def draw(self) -> int:
        """A number that depends on the key alone."""
        words = " ".join(re.findall(r"\w+", self.key.casefold()))
        return int(hashlib.sha256(words.encode()).hexdigest(), 16)

    @property
    def is_sealed(self) -> bool:
        """Whether the case is kept aside from training."""
        return self.source not in ALWAYS_SEEN and self.draw % FOLDS == 0

    @property
    def fold(self) -> int:
        """In which part it is held out."""
        return self.draw // FOLDS % FOLDS


def load_cases() -> list[Case]:
    """Return every case: pairs beside drawn candidates, and conversations."""
    pairs = list(_pairs())
    return [*_beside_others(pairs), *_talks(), *_strangers(pairs), *_statements()]


def sealed_talks() -> list[Case]:
    """Return the conversations that nothing was trained on."""
    talks = _rows("supersession_talks_sealed")
    return [
        case
        for talk in talks
        for case in _talk(talk["id"], talk["lang"], _in_longer_messages(talk, 1))
    ]


def english_texts() -> set[str]:
    """Return the English messages of the other cases, from which common words are known."""
    names = ("messages", "recall_intent", "recall_intent_practice", "exchanges")
    rows = [row for name in names for row in _rows(name)]
    texts = {value for row in rows for value in row.values() if isinstance(value, str)}
    return {text for text in texts if " " in text and text.isascii()}


def _rows(name: str) -> list[dict[str, Any]]:
    lines = (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def _pair(source: str, language: str, old: str, new: str, kind: str) -> Case:
    return Case(source, language, new, (Candidate(old, kind),), old)


def _pairs() -> Iterator[Case]:
    for row in _rows("supersession"):
        kind = _HAND.get(row["relation"], "apart")
        yield _pair("hands", row["lang"], row["old"], row["new"], kind)
    for row in _rows("fact_pairs"):
        kind = _UPDATES.get(row["relation"], "apart")
        yield _pair("fact_pairs", "en", row["old"], row["new"], kind)
    for row in _rows("same_fact"):
        yield _pair("same_fact", "en", row["old"], row["new"], _kind(row["id"], one=row["same"]))
    for name in ("same_fact_pairs", "named_pairs"):
        for row in _rows(name):
            yield _pair(name, "en", row["a"], row["b"], _kind(row["id"], one=row["label"] == "one"))


def _kind(case_id: str, *, one: bool) -> str:
    if not one:
        return "apart"
    if case_id in _ENDED:
        return "ends"
    said_again = case_id in _SAID_AGAIN or (case_id.startswith("one-") and case_id not in _CHANGED)
    return "same" if said_again else "replaces"


def _talks() -> Iterator[Case]:
    for talk in _rows("supersession_talks"):
        for size in (1, 2, 3):
            yield from _talk(talk["id"], talk["lang"], _in_longer_messages(talk, size))


def _talk(talk_id: str, language: str, talk: "_Talk") -> Iterator[Case]:
    source = "talks" if talk.size == 1 else "long talks"
    for place in range(1, len(talk.say)):
        olds = tuple(
            Candidate(text, talk.past.get((old, place), "apart"), just_said=old == place - 1)
            for old, text in enumerate(talk.say[:place])
        )
        yield Case(source, language, talk.say[place], olds, talk_id)


@dataclass(frozen=True)
class _Talk:
    size: int
    say: list[str]
    past: dict[tuple[int, int], str]


def _in_longer_messages(talk: dict[str, Any], size: int) -> _Talk:
    """Return the conversation with `size` of its sentences to a message."""
    parts = [talk["say"][start : start + size] for start in range(0, len(talk["say"]), size)]
    say = [" ".join(part if size == 1 else map(_closed, part)) for part in parts]
    past = {(o // size, n // size): kind for o, n, kind in talk["past"] if o // size < n // size}
    return _Talk(size, say, past)


def _closed(text: str) -> str:
    return text if text[-1] in ".!?。！？" else f"{text}."


def _beside_others(cases: Sequence[Case]) -> Iterator[Case]:
    """Put older sentences of other cases beside each: two near ones, four at random."""
    generator = np.random.default_rng(7)
    together = defaultdict(list)
    for case in cases:
        together[case.language, case.is_sealed].append(case)
    for group in together.values():
        olds = np.stack([vectors_of([case.key])[0] for case in group])
        news = np.stack([vectors_of([case.new])[0] for case in group])
        near, alike = news @ olds.T, olds @ olds.T
        for place, case in enumerate(group):
            order = np.argsort(-near[place])
            free = [i for i in order if alike[place, i] < NEAR and near[place, i] < 0.5][:200]
            rest = generator.choice(free[2:], min(4, len(free[2:])), replace=False)
            drawn = [Candidate(group[i].key, "apart", drawn=True) for i in (*free[:2], *rest)]
            yield Case(case.source, case.language, case.new, (*case.olds, *drawn), case.key)


def _strangers(cases: Sequence[Case]) -> Iterator[Case]:
    """Put long messages together whose words only meet by chance."""
    generator = np.random.default_rng(11)
    together = defaultdict(list)
    for case in cases:
        if not case.is_sealed and case.source == "hands":
            together[case.language].append(case)
    for language, group in together.items():
        for _ in range(len(group)):
            drawn = [group[i] for i in generator.choice(len(group), 17, replace=False)]
            new = " ".join(_closed(case.new) for case in drawn[:2])
            olds = [drawn[start : start + 3] for start in range(2, 17, 3)]
            texts = [" ".join(_closed(case.key) for case in part) for part in olds]
            candidates = tuple(Candidate(text, "apart", drawn=True) for text in texts)
            yield Case("strangers", language, new, candidates, new)


def _statements() -> Iterator[Case]:
    """Put a statement of one person beside near ones of others: none is about the same thing."""
    generator = np.random.default_rng(13)
    together = defaultdict(list)
    for row in _rows("supersession_statements"):
        together[row["lang"]].append(row["text"])
    for language, texts in together.items():
        vectors = np.stack(vectors_of(texts))
        near = vectors @ vectors.T
        for place, new in enumerate(texts):
            free = [i for i in np.argsort(-near[place]) if near[place, i] < NEAR]
            rest = generator.choice(free[2:], min(3, len(free[2:])), replace=False)
            olds = tuple(Candidate(texts[i], "apart", drawn=True) for i in (*free[:2], *rest))
            yield Case("statements", language, new, olds, new)


_known: dict[str, np.ndarray[Any, np.dtype[np.float32]]] = {}


def vectors_of(texts: Sequence[str]) -> list[np.ndarray[Any, np.dtype[np.float32]]]:
    """Return the vector of each text, each computed once."""
    if not _known:
        _remember(sorted(_all_texts()))
    _remember([text for text in texts if text not in _known])
    return [_known[text] for text in texts]


def _all_texts() -> set[str]:
    pairs = {text for case in _pairs() for text in (case.new, case.key)}
    return pairs | {
        text for case in _talks() for text in (case.new, *(old.text for old in case.olds))
    }


def _remember(texts: Sequence[str]) -> None:
    embedder = load_embedder("use")
    for start in range(0, len(texts), 64):
        part = texts[start : start + 64]
        rows = embedder.embed_sync(part)
        _known.update(zip(part, np.asarray(rows, dtype=np.float32), strict=True))
