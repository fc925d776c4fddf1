"""How often is a request to look back recognised, and how often is one imagined?

Run `python -m evals.recall_intent`; `--misses` lists the errors of the tune split,
`--grades FILE` counts the grades given to the lines of a text file.
"""

import argparse
import hashlib
import json
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from memory_graph.embeddings import load_embedder
from memory_graph.policy.recall_intent import RecallGrade, RecallIntent, detect_recall_intent
from memory_graph.policy.recall_intent.meaning import weigh_meaning

CASES = Path(__file__).parent / "cases" / "recall_intent.jsonl"
PRACTICE = CASES.with_name("recall_intent_practice.jsonl")
"""Near misses written to mislead the detector: they train it and take no part in the figures."""

Split = Literal["tune", "check"]


class Utterance(BaseModel):
    """One labelled message."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    text: str
    grade: RecallGrade
    source_style: str
    note: str = ""

    @property
    def split(self) -> Split:
        """Return `check` for the held-back third, by a hash of the id."""
        return "check" if hashlib.sha256(self.id.encode()).digest()[0] % 3 == 0 else "tune"

    @property
    def is_recall(self) -> bool:
        """Return whether the message asks to look back, plainly or not."""
        return self.grade != "none"


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Counts of right and wrong answers; a recall of either grade counts as one."""

    found: int
    imagined: int
    missed: int
    rejected: int

    @property
    def precision(self) -> float:
        """Return the share of found recalls that are some; 1 when nothing was found."""
        return self.found / (self.found + self.imagined) if self.found + self.imagined else 1.0

    @property
    def recall(self) -> float:
        """Return the share of recalls that were found; 1 when there are none."""
        return self.found / (self.found + self.missed) if self.found + self.missed else 1.0

    @property
    def f1(self) -> float:
        """Return the harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def load_utterances(split: Split) -> list[Utterance]:
    """Return the labelled messages of one split."""
    return [utterance for utterance in _read(CASES) if utterance.split == split]


def load_practice() -> list[Utterance]:
    """Return the labelled near misses that only train the detector."""
    return _read(PRACTICE)


def _read(path: Path) -> list[Utterance]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Utterance.model_validate_json(line) for line in lines]


def read_intents(utterances: Sequence[Utterance]) -> list[RecallIntent]:
    """Return what the detector says of each message, by its words and its vector."""
    embedder = load_embedder("use")
    vectors = embedder.embed_sync([each.text for each in utterances])
    return [
        detect_recall_intent(each.text, meaning=weigh_meaning(vector, embedder.name))
        for each, vector in zip(utterances, vectors, strict=True)
    ]


def measure(utterances: Sequence[Utterance], intents: Sequence[RecallIntent]) -> Measured:
    """Compare what the detector says with the labels."""
    outcomes = Counter(
        (utterance.is_recall, intent.grade != "none")
        for utterance, intent in zip(utterances, intents, strict=True)
    )
    return Measured(
        found=outcomes[True, True],
        imagined=outcomes[False, True],
        missed=outcomes[True, False],
        rejected=outcomes[False, False],
    )


def p95_milliseconds(utterances: Sequence[Utterance]) -> float:
    """Return the time that 95 % of the messages stay below, each timed at its best of three."""
    best = sorted(min(_time(utterance.text) for _ in range(3)) for utterance in utterances)
    return best[int(0.95 * len(best))] * 1000


def _time(text: str) -> float:
    start = time.perf_counter()
    detect_recall_intent(text)
    return time.perf_counter() - start


def main() -> None:
    """Print the measurements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true", help="list the errors of the tune split")
    parser.add_argument("--grades", type=Path, help="a text file with one message a line")
    options = parser.parse_args()
    if options.misses:
        _print_misses(load_utterances("tune"))
    elif options.grades:
        _print_grades(options.grades.read_text(encoding="utf-8").splitlines())
    else:
        _print_report()


def _print_report() -> None:
    splits: tuple[Split, ...] = ("tune", "check")
    for split in splits:
        utterances = load_utterances(split)
        intents = read_intents(utterances)
        _print_line(split, measure(utterances, intents))
        words_alone = [detect_recall_intent(each.text) for each in utterances]
        _print_line("  by words alone", measure(utterances, words_alone))
        styles = defaultdict(list)
        for utterance, intent in zip(utterances, intents, strict=True):
            styles[utterance.source_style].append((utterance, intent))
        for style, members in sorted(styles.items()):
            _print_line(f"  {style}", measure(*zip(*members, strict=True)))
    print(f"p95 {p95_milliseconds(load_utterances('tune')):.3f} ms a message, without its vector")


def _print_line(label: str, measured: Measured) -> None:
    print(
        f"{label:20} precision {measured.precision:.3f}  recall {measured.recall:.3f}  "
        f"F1 {measured.f1:.3f}  found {measured.found:3}  missed {measured.missed:3}  "
        f"imagined {measured.imagined:3}  rejected {measured.rejected:3}"
    )


def _print_misses(utterances: Sequence[Utterance]) -> None:
    for utterance, intent in zip(utterances, read_intents(utterances), strict=True):
        if utterance.is_recall != (intent.grade != "none"):
            fields = {"id": utterance.id, "text": utterance.text, "label": utterance.grade}
            print(json.dumps({**fields, "reason": intent.reason, "score": round(intent.score, 2)}))


def _print_grades(texts: Sequence[str]) -> None:
    counts = Counter((i.grade, i.reason) for i in map(detect_recall_intent, texts))
    for (grade, reason), count in counts.most_common():
        print(f"{grade:9} {reason:28} {count:5} {count / len(texts):6.1%}")


if __name__ == "__main__":
    main()
