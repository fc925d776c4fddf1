"""How well does the judge of corrections do on sentences it has not seen?

Run `python -m evals.tuning.supersession.report [--sealed] [--people FILE ...]`.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evals.tuning.supersession.cases import PAST, Case, load_cases, sealed_talks, vectors_of
from evals.tuning.supersession.train import Matrix, Row, build_rows, held_out_scores
from memory_graph.language.heads import read
from memory_graph.language.supersession import Utterance, judge_all, load_model

Mask = NDArray[np.bool_]
_END = re.compile(r"(?<=[.!?…])(?<!\bDr\.)(?<!\bMrs\.)(?<!\bMr\.)(?<!\bSt\.)\s+|\n+")


@dataclass(frozen=True)
class Turn:
    """One durable sentence of a conversation, and what its message corrects."""

    at: int
    text: str
    supersedes: tuple[str, ...]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sealed", action="store_true", help="look at what is sealed")
    parser.add_argument("--people", nargs="*", default=[], type=Path, help="conversations")
    wanted = parser.parse_args()
    cases = load_cases()
    rarity = load_model().rarity
    rows = build_rows([case for case in cases if not case.is_sealed], rarity)
    scores = held_out_scores(rows)
    print("held out, by case")
    _table(rows, scores)
    print("conversations held out, by operating point")
    _points(rows, scores)
    print("conversations held out: what a model may name, by bar")
    _named(rows, scores)
    if wanted.sealed:
        print("sealed fifth, the shipped weights")
        _shipped([case for case in cases if case.is_sealed])
        print("sealed conversations, the shipped weights")
        _shipped(sealed_talks())
    for path in wanted.people:
        for whole in (True, False):
            _people(path, whole=whole)


def _table(rows: Sequence[Row], scores: Matrix) -> None:
    past = np.array([row.candidate.kind in PAST for row in rows])
    said = scores >= load_model().threshold
    drawn = np.array([row.candidate.drawn for row in rows])
    sources = np.array([row.case.source for row in rows])
    languages = np.array([row.case.language for row in rows])
    for source in dict.fromkeys(sources[~drawn]):
        _line(source, said, past, (sources == source) & ~drawn)
    for language in dict.fromkeys(languages):
        _line(
            f"pairs {language}", said, past, (languages == language) & (sources == "hands") & ~drawn
        )
        _line(f"talks {language}", said, past, (languages == language) & (sources == "talks"))
    _line("drawn beside", said, past, drawn)
    _line("all but drawn", said, past, ~drawn & (sources != "long talks"))


def _points(rows: Sequence[Row], scores: Matrix) -> None:
    """Print what each threshold gives: alone, and with the likeliest one of a sure correction."""
    talks = np.array([row.case.source == "talks" for row in rows])
    rows = [row for row, is_talk in zip(rows, talks, strict=True) if is_talk]
    scores = scores[talks]
    news = list(dict.fromkeys(row.case.new for row in rows))
    corrects = dict(zip(news, (h.corrects for h in read(vectors_of(news), news)), strict=True))
    sure = np.array([corrects[row.case.new] for row in rows])
    best: dict[int, float] = {}
    for row, chance in zip(rows, scores, strict=True):
        best[id(row.case)] = max(best.get(id(row.case), 0.0), float(chance))
    is_best = np.array([best[id(row.case)] == s for row, s in zip(rows, scores, strict=True)])
    past = np.array([row.candidate.kind in PAST for row in rows])
    everything = np.ones(len(rows), dtype=bool)
    for threshold in (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8):
        _line(f"from {threshold}", scores >= threshold, past, everything)
        for corrects_from, floor in product((0.5, 0.7, 0.9), (0.2, 0.3, 0.4)):
            likeliest = is_best & (scores >= floor) & (sure >= corrects_from)
            name = f"  or {corrects_from}/{floor}"
            _line(name, (scores >= threshold) | likeliest, past, everything)


def _named(rows: Sequence[Row], scores: Matrix) -> None:
    """Print how many changes pass each bar, and how many of the four nearest that stay."""
    cases: dict[int, list[tuple[Row, float]]] = {}
    for row, chance in zip(rows, scores, strict=True):
        if row.case.source == "talks":
            cases.setdefault(id(row.case), []).append((row, float(chance)))
    changes = [s for case in cases.values() for r, s in case if r.candidate.kind in PAST]
    nearest = (sorted(case, key=lambda each: -each[0].old @ each[0].new) for case in cases.values())
    others = [s for case in nearest for r, s in case[:4] if r.candidate.kind not in PAST]
    for bar in (0.02, 0.05, 0.1, 0.2, 0.3, 0.4):
        passed, wrong = (np.mean([s >= bar for s in each]) for each in (changes, others))
        print(f"  from {bar}: {passed:.2f} of changes, {wrong:.3f} of others that are near")


def _line(name: str, said: Mask, past: Mask, chosen: Mask) -> None:
    if not (past & chosen).any() and not (said & chosen).any():
        return
    right, wrong = int((said & past & chosen).sum()), int((said & ~past & chosen).sum())
    total = int((past & chosen).sum())
    precision = right / max(1, right + wrong)
    print(
        f"  {name:18} precision {precision:.2f} recall {right / max(1, total):.2f}"
        f" ({right} of {total}, {wrong} false, {int(chosen.sum())} pairs)"
    )


def _shipped(cases: Sequence[Case]) -> None:
    kinds: list[tuple[str, str]] = []
    for case in cases:
        olds = [Utterance(o.text, vectors_of([o.text])[0], o.just_said) for o in case.olds]
        relations = judge_all(olds, Utterance(case.new, vectors_of([case.new])[0]))
        kinds += [
            (old.kind, relation.kind)
            for old, relation in zip(case.olds, relations, strict=True)
            if not old.drawn
        ]
    right = sum(told in PAST and said in PAST for told, said in kinds)
    total, said = sum(told in PAST for told, _ in kinds), sum(said in PAST for _, said in kinds)
    exact = sum(told == said for told, said in kinds if told in PAST and said in PAST)
    precision, recall = right / max(1, said), right / total
    print(f"  past: precision {precision:.2f} recall {recall:.2f} ({right} of {total})")
    print(f"  of these called by the right one of the two kinds: {exact}")


def _people(path: Path, *, whole: bool) -> None:
    applied, corrections, false, pairs = 0, 0, 0, 0
    for talk in json.loads(path.read_text(encoding="utf-8")):
        turns = list(_turns(talk, whole=whole))
        wanted = {(turn.at, pattern) for turn in turns for pattern in turn.supersedes}
        done, wrong, seen = _marks(turns)
        corrections, applied = corrections + len(wanted), applied + len(done & wanted)
        false, pairs = false + len(wrong), pairs + seen
    unit = "whole messages" if whole else "sentences"
    print(
        f"{path.name}, {unit}: {applied} of {corrections} applied, {false} false of {pairs} pairs"
    )


def _turns(talk: dict[str, Any], *, whole: bool) -> Iterator[Turn]:
    for at, turn in enumerate(talk["turns"]):
        patterns = tuple(p for fact in turn.get("fact", []) for p in fact.get("supersedes", []))
        if "fact" in turn:
            for text in [turn["say"]] if whole else _sentences(turn["say"]):
                yield Turn(at, text, patterns)


def _sentences(text: str) -> list[str]:
    return [part for part in _END.split(text) if re.search(r"\w\w", part)]


def _marks(turns: Sequence[Turn]) -> tuple[set[tuple[int, str]], set[tuple[int, str]], int]:
    done: set[tuple[int, str]] = set()
    wrong: set[tuple[int, str]] = set()
    seen = 0
    for place, turn in enumerate(turns):
        olds = [old for old in turns[:place] if old.at != turn.at]
        new = Utterance(turn.text, vectors_of([turn.text])[0])
        last = max((old.at for old in olds), default=None)
        utterances = [
            Utterance(old.text, vectors_of([old.text])[0], old.at == last) for old in olds
        ]
        seen += len(olds)
        for old, relation in zip(olds, judge_all(utterances, new), strict=True):
            if relation.is_past:
                hits = {p for p in turn.supersedes if re.search(p, old.text, re.IGNORECASE)}
                done |= {(turn.at, pattern) for pattern in hits}
                wrong |= set() if hits else {(turn.at, old.text)}
    return done, wrong, seen


if __name__ == "__main__":
    main()
