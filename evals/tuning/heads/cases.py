"""The labelled messages that heads learn from and are measured on."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import yaml

from memory_graph.embedding import load_embedder
from memory_graph.language.heads import HEADS
from memory_graph.language.sentences import split_sentences

CASES = Path(__file__).parents[2] / "cases"
HANDS = ("en_everyday", "en_work", "european", "world", "terse")
"""Files of `cases/heads/`, each by another writer who had not read the code."""

OTHERS = ("recall_intent", "recall_intent_practice", "messages", "sittings")
"""Older English cases of this project; they carry one label each and count less."""

BLOCK = 25
"""Lines of a file come in runs about one person: a run is never cut between fit and test."""

FOLDS = 5
SEALED = 4
"""The fold of each writer's lines that nothing is fitted or chosen on."""

EMBEDDER = "use"
_AT_ONCE = 64

Split = Literal["open", "sealed"]


@dataclass(frozen=True)
class Case:
    """One message and the labels it is known by; other labels are unknown."""

    source: str
    line: int
    text: str
    lang: str
    labels: Mapping[str, int] = field(hash=False)

    @property
    def fold(self) -> int:
        """Return which fold the case is tested in."""
        return self.line // BLOCK % FOLDS

    @property
    def split(self) -> Split:
        """Return `sealed` for every fifth block of a writer's lines."""
        return "sealed" if self.source in HANDS and self.fold == SEALED else "open"

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Return the sentences, as the product cuts them."""
        return split_sentences(self.text)


def load_cases(asked: Path | None = None) -> list[Case]:
    """Return all cases; `asked` adds a file of lines with `text` and `asks_about_past`."""
    cases = [case for name in HANDS for case in _written(name)]
    cases += [*_recalls("recall_intent"), *_recalls("recall_intent_practice")]
    cases += [*_gated(), *_sat()]
    return [*cases, *_asked(asked)] if asked else cases


def _lines(path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    for place, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        yield place, json.loads(line)


def _written(name: str) -> Iterator[Case]:
    for place, line in _lines(CASES / "heads" / f"{name}.jsonl"):
        labels = {head: int(str(line[head])) for head in HEADS}
        yield Case(name, place, str(line["text"]), str(line["lang"]), labels)


def _recalls(name: str) -> Iterator[Case]:
    for place, line in _lines(CASES / f"{name}.jsonl"):
        yield Case(name, place, str(line["text"]), "en", {"asks": int(line["grade"] != "none")})


def _gated() -> Iterator[Case]:
    for place, line in _lines(CASES / "messages.jsonl"):
        if "history" not in line:
            labels = {"durable": int(line["gate"] == "pass")}
            yield Case("messages", place, str(line["text"]), "en", labels)


def _sat() -> Iterator[Case]:
    known = {"opens": 1, "adds": 1, "nothing": 0}
    sittings = yaml.safe_load((CASES / "sittings.yaml").read_text(encoding="utf-8"))
    told = [line for sitting in sittings for line in sitting["lines"] if "tools" not in line]
    for place, line in enumerate(told):
        if line["is"] in known:
            yield Case("sittings", place, line["user"], "en", {"outcome": known[line["is"]]})


def _asked(path: Path) -> Iterator[Case]:
    for place, line in _lines(path):
        yield Case(
            path.stem, place, str(line["text"]), "en", {"asks": int(bool(line["asks_about_past"]))}
        )


def fingerprint() -> str:
    """Return a hash of the files that the weights are fitted on."""
    digest = hashlib.sha256()
    names = [*(f"heads/{name}.jsonl" for name in HANDS)]
    names += [*(f"{name}.jsonl" for name in OTHERS[:-1]), "sittings.yaml"]
    for name in names:
        digest.update((CASES / name).read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def embed(texts: Iterable[str]) -> Mapping[str, npt.NDArray[np.float32]]:
    """Return the vector of each text, by the embedder in the package."""
    wanted = sorted(set(texts))
    embedder = load_embedder(EMBEDDER)
    rows: list[Sequence[float]] = []
    for start in range(0, len(wanted), _AT_ONCE):
        rows += embedder.embed_sync(wanted[start : start + _AT_ONCE])
    return dict(zip(wanted, np.array(rows, dtype=np.float32), strict=True))
