"""How many sentences on a topic that is never kept are found, and how many others are taken for it.

Run `python -m evals.tuning.topics`. The cases are few and of one hand; thresholds are cosines.
"""

import asyncio
import json
from pathlib import Path

from memory_graph import topics

CASES = Path(__file__).parents[1] / "cases" / "topics.jsonl"
THRESHOLDS = (0.16, 0.19, topics.ALIKE, 0.25, 0.3)


async def report() -> None:
    """Print both shares for some thresholds, the one in use among them."""
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    named = list(dict.fromkeys(case["topic"] for case in cases if case["topic"]))
    others = [case["text"] for case in cases if case["topic"] is None]
    in_use = topics.ALIKE
    for threshold in THRESHOLDS:
        topics.ALIKE = threshold
        found = total = 0
        for topic in named:
            texts = [case["text"] for case in cases if case["topic"] == topic]
            found += sum(await topics.about_any(texts, [topic]))
            total += len(texts)
        taken = sum(await topics.about_any(others, named))
        mark = "  in use" if threshold == in_use else ""
        wrong = f"taken for one {taken} of {len(others)}"
        print(f"{threshold:.2f}: found {found} of {total}, {wrong}{mark}")
    topics.ALIKE = in_use


if __name__ == "__main__":
    asyncio.run(report())
