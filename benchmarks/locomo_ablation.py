"""What does each signal of the ranking add to what is found?

Run `python -m benchmarks.locomo_ablation --data FILE`: recall of turns and sessions with every
signal in force, then with one of them left out at a time.
"""

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean

from benchmarks.locomo import load
from benchmarks.locomo_retrieval import TUNED_ON, Asked, Measure, session_recall, turn_recall
from benchmarks.locomo_systems import POLICY, Archive
from memory_graph.embedding import load_embedder
from memory_graph.policies import RankingWeights
from memory_graph.records import SIGNALS
from memory_graph.settings import get_settings

EVERYTHING = "every signal"


def variants() -> dict[str, RankingWeights]:
    """Return the weights in force, and the same without each signal that has one."""
    without = {
        f"without {signal}": POLICY.weights.model_copy(update={signal: 0.0})
        for signal in SIGNALS
        if getattr(POLICY.weights, signal)
    }
    return {EVERYTHING: POLICY.weights} | without


async def ask_all(data: Path) -> list[Asked]:
    """Ask every question under every variant."""
    embedder = load_embedder(get_settings().embedder)
    answers = []
    for conversation in load(data):
        archive = Archive(conversation, embedder)
        await archive.fill(captions=False)
        for question in conversation.questions:
            found = {
                name: await archive.ranked(question.text, weights)
                for name, weights in variants().items()
            }
            answers.append(Asked(conversation, question, found, 0.0, 0))
    return answers


def table(answers: Sequence[Asked]) -> Iterator[str]:
    """Yield a line per variant, in per cent."""
    held_out = [a for a in answers if a.conversation.name not in TUNED_ON]
    tuned_on = [a for a in answers if a.conversation.name in TUNED_ON]
    yield f"{'':22}{'tuned on':>24}{'held out':>24}"
    yield f"{'':22}" + 2 * f"{'turns@10':>12}{'sessions@5':>12}"
    for variant in variants():
        cells = [
            _mean(part, measure, variant, cut)
            for part in (tuned_on, held_out)
            for measure, cut in ((turn_recall, 10), (session_recall, 5))
        ]
        yield f"{variant:22}" + "".join(cells)


def _mean(part: Sequence[Asked], measure: Measure, variant: str, cut: int) -> str:
    if not part:
        return f"{'':12}"
    return f"{100 * fmean(measure(asked, variant, cut) for asked in part):12.1f}"


async def run(data: Path) -> None:
    """Ask and print."""
    print("\n".join(table(await ask_all(data))))


def main() -> None:
    """Read the arguments, run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    asyncio.run(run(parser.parse_args().data))


if __name__ == "__main__":
    main()
