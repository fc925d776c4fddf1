"""Labelled situations, and how well the triggers of patterns fit them.

python -m evals.suites.pattern_situations
"""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from langgraph.store.memory import InMemoryStore

from evals.harness.runner import CASES, Split, split_of
from memory_graph.patterns.search import RELEVANT, PatternQuery, find_patterns
from memory_graph.records import Pattern
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of

NOW = datetime(2026, 11, 16, tzinfo=UTC)
FLOORS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45)


@dataclass(frozen=True)
class Situation:
    """A task, and the patterns a person finds fitting."""

    case_id: str
    text: str
    fits: frozenset[str]

    @property
    def split(self) -> Split:
        """Return the split, which depends on the id alone."""
        return split_of(self.case_id)


@dataclass(frozen=True)
class Answer:
    """What was found for a situation, by name with its relevance."""

    situation: Situation
    found: dict[str, float]


def read_situations() -> list[Situation]:
    """Return the labelled situations."""
    rows = map(json.loads, (CASES / "pattern_situations.jsonl").read_text("utf-8").splitlines())
    return [Situation(row["id"], row["situation"], frozenset(row["fits"])) for row in rows]


async def fill(memory: UserMemory) -> None:
    """Save the patterns that situations are compared with."""
    rows = map(json.loads, (CASES / "pattern_triggers.jsonl").read_text("utf-8").splitlines())
    patterns = [
        Pattern(name=row["id"], trigger=row["trigger"], action="-", created_at=NOW, updated_at=NOW)
        for row in rows
    ]
    await memory.commit(await memory.patterns.puts(patterns, NOW))


async def answer(memory: UserMemory, situation: Situation) -> Answer:
    """Return everything found for a situation, whatever its relevance."""
    query = PatternQuery(situation=situation.text, limit=100, min_relevance=0.0)
    found = await find_patterns(memory, query, NOW)
    return Answer(situation, {each.pattern.name: each.relevance for each in found})


def report(answers: Sequence[Answer], floor: float) -> str:
    """Return precision and recall of what lies above the floor."""
    kept = [(a, {n for n, r in a.found.items() if r >= floor}) for a in answers]
    right = sum(len(names & a.situation.fits) for a, names in kept)
    proposed = sum(len(names) for _, names in kept)
    wanted = sum(len(a.situation.fits) for a in answers)
    quiet = [not names for a, names in kept if not a.situation.fits]
    return (
        f"floor {floor:.2f}  precision {right / max(proposed, 1):.2f}  "
        f"recall {right / wanted:.2f}  "
        f"silent where nothing fits {sum(quiet)}/{len(quiet)}"
    )


async def main() -> None:
    """Print the numbers per split; `RELEVANT` was chosen on the tune split."""
    memory = memory_of(Owner("eval"), InMemoryStore())
    await fill(memory)
    answers = [await answer(memory, each) for each in read_situations()]
    for split in ("tune", "check"):
        part = [each for each in answers if each.situation.split == split]
        print(f"{split} ({len(part)} situations)")
        for floor in sorted({*FLOORS, RELEVANT}):
            print(f"  {report(part, floor)}{'  <- used' if floor == RELEVANT else ''}")


if __name__ == "__main__":
    asyncio.run(main())
