"""Fit the map from a question's meaning to that of its answers, and say what it gains.

`python -m evals.tuning.question_map [--people FILE …] [--locomo FILE] [--write]` fits a matrix on
`evals/cases/question_pairs.jsonl` by ridge regression: what was told, and what is asked for it days
later in other words. The difference from the identity is kept to its strongest directions. It is
measured on conversations that it was not fitted on: how often the statement that is nearest in
meaning answers the question, and how often one of the first three does, without and with the map.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks import locomo
from evals.harness.runner import CASES
from evals.suites.people import DEV, read_people
from evals.suites.people_scoring import Ask, has_answer
from memory_graph.embedding import load_embedder
from memory_graph.language.heads import QUESTION_MAP

PAIRS = CASES / "question_pairs.jsonl"
RIDGE, DIRECTIONS = 3.0, 32
"""Chosen by hand on the first 409 pairs: between 1 and 12, and from 16 directions on, the mean
reciprocal rank over nine sources stays between .73 and .76; one source moves by 7 points.
"""

Matrix = npt.NDArray[np.float64]


class Search(NamedTuple):
    """A question, what was told before it, and which of that answers it."""

    question: str
    told: tuple[str, ...]
    answers: list[int]


def embed(texts: Sequence[str]) -> Matrix:
    """Return the vectors of texts, one a row."""
    embedder = load_embedder("use")
    parts = [embedder.embed_sync(texts[at : at + 64]) for at in range(0, len(texts), 64)]
    return np.vstack([np.asarray(part, dtype=np.float64) for part in parts])


def fit(asked: Matrix, told: Matrix) -> tuple[Matrix, Matrix]:
    """Return the directions that are read of a question, and what each adds to it."""
    identity = np.eye(asked.shape[1])
    known = asked.T @ asked + RIDGE * identity
    whole = np.linalg.solve(known, asked.T @ told + RIDGE * identity).T
    left, strength, right = np.linalg.svd(whole - identity)
    return right[:DIRECTIONS].T, left[:, :DIRECTIONS] * strength[:DIRECTIONS]


def of_people(path: Path) -> Iterator[Search]:
    """Yield the questions that people ask, with what they told before each."""
    for person in read_people(path):
        told: list[str] = []
        for turn in person.turns:
            if turn.ask is None:
                told.append(turn.say)
            elif not turn.ask.never_told:
                yield Search(turn.say, tuple(told), _answering(turn.ask, told))


def _answering(ask: Ask, told: Sequence[str]) -> list[int]:
    outdated = ask.model_copy(update={"expect": ask.reject, "min": 1})
    return [
        n
        for n, text in enumerate(told)
        if has_answer(ask.model_copy(update={"min": 1}), [text])
        and not has_answer(outdated, [text])
    ]


def of_locomo(path: Path) -> Iterator[Search]:
    """Yield the questions of LoCoMo as one of the speakers would ask them."""
    for conversation in locomo.load(path):
        told = tuple(turn.text for turn in conversation.turns)
        places = {turn.turn_id: n for n, turn in enumerate(conversation.turns)}
        for question in conversation.questions:
            text = question.text
            for name in conversation.speakers:
                text = text.replace(f"{name}'s", "my").replace(name, "I")
            yield Search(text, told, [places[each] for each in question.evidence & places.keys()])


def gain(searches: Sequence[Search], reads: Matrix, adds: Matrix) -> str:
    """Return how often the first and one of the first three answer, without and with the map."""
    searches = [each for each in searches if each.answers]
    texts = list(dict.fromkeys(text for each in searches for text in (each.question, *each.told)))
    vectors = dict(zip(texts, embed(texts), strict=True))
    ranks = []
    for each in searches:
        told, plain = np.array([vectors[text] for text in each.told]), vectors[each.question]
        for asked in (plain, plain + adds @ (plain @ reads)):
            near = told @ asked
            ranks.append(int((near > near[each.answers].max()).sum()))
    ways = np.array(ranks).reshape(-1, 2)
    shares = [f"{100 * (ways < most).mean(axis=0)[way]:5.1f}" for most in (1, 3) for way in (0, 1)]
    return f"first {shares[0]} → {shares[1]}, in three {shares[2]} → {shares[3]} ({len(ways)})"


def main() -> None:
    """Fit the map, print what it gains on each source, and write it on request."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=Path, action="append", default=[])
    parser.add_argument("--locomo", type=Path, action="append", default=[])
    parser.add_argument("--write", action="store_true", help="replace the weights in the package")
    options = parser.parse_args()
    pairs = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    asked, told = (embed([pair[key] for pair in pairs]) for key in ("ask", "tell"))
    reads, adds = fit(asked, told)
    print(f"fitted on {len(pairs)} pairs")
    for path in [*(CASES / name for name in DEV), *options.people]:
        print(f"{path.stem:20}", gain(list(of_people(path)), reads, adds))
    for path in options.locomo:
        print(f"{path.stem:20}", gain(list(of_locomo(path)), reads, adds))
    if options.write:
        np.savez(QUESTION_MAP, reads=reads.astype(np.float16), adds=adds.astype(np.float16))


if __name__ == "__main__":
    main()
