"""Labelled exchanges, and how well capture separates episodes from routine without a model."""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from pathlib import Path

from pydantic import TypeAdapter

from evals.harness.runner import CASES, Split, split_of
from memory_graph.background import run_sync
from memory_graph.episodes.capture import Capture, Evidence, decide_capture
from memory_graph.episodes.signals import Signals, read_outcomes, read_signals
from memory_graph.policies import CapturePolicy
from memory_graph.records import Said

FILE = CASES / "exchanges.jsonl"
"""Batch 1 was written before the rules; each later `batch` before the rules had seen it."""

MIN_PRECISION = 0.8
MIN_RECALL = 0.75

# Decisions on one exchange do not depend on the time, only cooldowns do.
_ANY_TIME = datetime(2026, 1, 1, tzinfo=UTC)
_SAID = TypeAdapter(tuple[Said, ...])


@dataclass(frozen=True)
class Exchange:
    """One labelled exchange."""

    case_id: str
    kind: str
    worth: bool
    said: tuple[Said, ...]

    @property
    def split(self) -> Split:
        """Return the split, which depends on the id alone."""
        return split_of(self.case_id)


@dataclass(frozen=True)
class Score:
    """How often the decision agreed with the labels."""

    right: int
    missed: int
    wrong: int

    @property
    def precision(self) -> float:
        """Return the share of kept exchanges that were worth it."""
        return self.right / max(self.right + self.wrong, 1)

    @property
    def recall(self) -> float:
        """Return the share of worthy exchanges that were kept."""
        return self.right / max(self.right + self.missed, 1)

    @property
    def f1(self) -> float:
        """Return the harmonic mean of precision and recall."""
        return 2 * self.right / max(2 * self.right + self.missed + self.wrong, 1)


def load(path: Path = FILE) -> tuple[Exchange, ...]:
    """Read the labelled exchanges."""
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return tuple(
        Exchange(row["id"], row["kind"], row["worth"], _SAID.validate_python(row["said"]))
        for row in rows
    )


def decide(exchange: Exchange, policy: CapturePolicy | None = None) -> Capture:
    """Decide on an exchange as the graph does: after each turn, until one is kept.

    Each turn is judged as for a new user: no cooldown, quota or earlier episode.
    """
    captures = [_judge(each, policy or CapturePolicy()) for each in signals_of(exchange)]
    return next((capture for capture in captures if capture.keep), captures[-1])


def _judge(signals: Signals, policy: CapturePolicy) -> Capture:
    return decide_capture(Evidence(signals=signals, now=_ANY_TIME), policy)


@cache
def signals_of(exchange: Exchange) -> tuple[Signals, ...]:
    """Return the signs of each turn of an exchange, in view of what was said before it."""
    return run_sync(lambda: _signals_of(exchange.said))


async def _signals_of(said: Sequence[Said]) -> tuple[Signals, ...]:
    return tuple(
        [
            read_signals(await read_outcomes(said[start:end], earlier=said[:start]))
            for start, end in pairwise(_turn_starts(said))
        ]
    )


def _turn_starts(said: Sequence[Said]) -> list[int]:
    return [*(index for index, one in enumerate(said) if one.role == "user"), len(said)]


def score(exchanges: Iterable[Exchange]) -> Score:
    """Compare decisions with labels."""
    pairs = Counter((exchange.worth, decide(exchange).keep) for exchange in exchanges)
    return Score(pairs[True, True], pairs[True, False], pairs[False, True])


def _print_split(name: Split, exchanges: Sequence[Exchange]) -> Score:
    result = score(exchanges)
    print(
        f"{name:5}  {len(exchanges):3} exchanges  precision {result.precision:.3f}  "
        f"recall {result.recall:.3f}  F1 {result.f1:.3f}"
    )
    return result


def _print_kinds(exchanges: Sequence[Exchange]) -> None:
    print(f"\n{'kind':16} {'cases':>5} {'kept':>5} {'worth':>5}")
    for kind in sorted({exchange.kind for exchange in exchanges}):
        group = [exchange for exchange in exchanges if exchange.kind == kind]
        kept = sum(decide(exchange).keep for exchange in group)
        worth = sum(exchange.worth for exchange in group)
        print(f"{kind:16} {len(group):5} {kept:5} {worth:5}")


def _print_errors(exchanges: Iterable[Exchange]) -> None:
    for exchange in exchanges:
        capture = decide(exchange)
        if capture.keep != exchange.worth:
            print(f"{exchange.case_id}: {'kept' if capture.keep else 'skipped'}, {capture.reason}")


def main(arguments: Sequence[str]) -> int:
    """Print the scores; `--errors` also names the misjudged exchanges of the tuning split."""
    exchanges = load()
    tune = [exchange for exchange in exchanges if exchange.split == "tune"]
    check = [exchange for exchange in exchanges if exchange.split == "check"]
    _print_split("tune", tune)
    result = _print_split("check", check)
    _print_kinds(tune)
    if "--errors" in arguments:
        _print_errors(tune)
    return 0 if result.precision >= MIN_PRECISION and result.recall >= MIN_RECALL else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
