"""How much must a sentence be worth to be kept in the user's own words?

Run `python -m evals.tuning.keeping [FILE ...]` on conversations like `cases/people/dev.json`.
A message that tells facts should have a sentence above the line; one that neither tells nor asks
should have none. What lies between the two lines is kept only if it changes something known.
"""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

from evals.harness.runner import CASES
from evals.suites.people import DEV, read_people
from memory_graph.facts.extraction import KEEP, MAY_CHANGE, worth_keeping
from memory_graph.reading import read_message

LINES = (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.42, 0.5, 0.6, 0.7, 0.8)


async def worths(paths: Sequence[Path]) -> tuple[list[float], list[float]]:
    """Return the worth of the best sentence of each message: of those that tell, and the rest."""
    told: list[float] = []
    others: list[float] = []
    for person in (each for path in paths for each in read_people(path)):
        for turn in person.turns:
            if turn.ask is None:
                reading = await read_message(turn.say)
                worth = max((worth_keeping(each) for each in reading.heads), default=0.0)
                (told if turn.fact else others).append(worth)
    return told, others


def table(told: Sequence[float], others: Sequence[float]) -> list[str]:
    """Return a line per threshold: what is kept of each."""
    lines = [f"{'from':>6}{'telling, kept':>16}{'others, kept':>15}"]
    for line in LINES:
        kept, junk = sum(each >= line for each in told), sum(each >= line for each in others)
        lines.append(f"{line:6.2f}{kept:9} of {len(told)}{junk:9} of {len(others)}")
    return [*lines, f"in force: {KEEP} to be kept, {MAY_CHANGE} to change something"]


def main() -> None:
    """Read the conversations and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, default=[CASES / name for name in DEV])
    print("\n".join(table(*asyncio.run(worths(parser.parse_args().files)))))


if __name__ == "__main__":
    main()
