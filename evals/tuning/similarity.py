"""Measures an embedder: prints its AUC and the anchors of its `Scale`.

Run `python -m evals.tuning.similarity use wordllama`. Anchors come from the tune split alone.
"""

import json
import sys
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from evals.harness.runner import CASES, split_of
from memory_graph.embedding import Embedder, load_embedder

PAIRS = CASES / "similarity_pairs.jsonl"
LABELS = ("same", "update", "different", "topic", "unrelated")


class Pair(NamedTuple):
    """Two statements and how they relate, with the cosine an embedder gives them."""

    split: str
    label: str
    cosine: float


def measure(embedder: Embedder) -> list[Pair]:
    """Return every labelled pair with its cosine."""
    rows = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    left = embedder.embed_sync([row["a"] for row in rows])
    right = embedder.embed_sync([row["b"] for row in rows])
    return [
        Pair(split_of(row["id"]), row["label"], sum(x * y for x, y in zip(a, b, strict=True)))
        for row, a, b in zip(rows, left, right, strict=True)
    ]


def auc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """Return how often a positive outscores a negative; ties count half."""
    pairs = [(p, n) for p in positives for n in negatives]
    return sum((p > n) + (p == n) / 2 for p, n in pairs) / len(pairs)


def report(embedder: Embedder) -> None:
    """Print separation on both splits, and the anchors the tune split suggests."""
    pairs = measure(embedder)
    for split in ("tune", "check"):
        by_label = {
            label: [p.cosine for p in pairs if p.split == split and p.label == label]
            for label in LABELS
        }
        hard = auc(by_label["same"], by_label["different"])
        easy = auc(by_label["same"], by_label["topic"] + by_label["unrelated"])
        print(f"{embedder.name:10} {split:5} AUC same/different {hard:.2f} same/other {easy:.2f}")
        for label, cosines in by_label.items():
            read = median(embedder.scale.similarity(cosine) for cosine in cosines)
            print(f"  {label:10} n={len(cosines):2} cosine {median(cosines):.2f} reads {read:.2f}")
        if split == "tune":
            unrelated = sorted(by_label["unrelated"])[int(0.95 * len(by_label["unrelated"]))]
            middle = median(by_label["different"])
            print(f"  anchors: {unrelated:.2f} {middle:.2f} {median(by_label['same']):.2f}")


if __name__ == "__main__":
    for embedder_name in sys.argv[1:] or ["use"]:
        report(load_embedder(embedder_name))
