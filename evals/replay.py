"""What conversations are worth with a model that misleads, beside rules.

Run `python -m evals.replay --misleading`: a scripted model says of every sentence that it is a
fact, and that it replaces or ends a known one.
"""

import argparse
import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence

from pydantic import PrivateAttr

from evals.harness.runner import CASES, Figure
from evals.model_calls import Asked, Counting, reading_with
from evals.suites.people import DEV, play, read_people
from evals.suites.people_scoring import Person
from memory_graph.language.sentences import split_sentences

_TOLD = ("facts kept", "corrected", "sound facts", "in block")


class Misleading(Counting):
    """Says of every message that it replaces, or ends, one of the facts that it is shown."""

    _asked: int = PrivateAttr(default=0)

    async def _facts(self, asked: Asked) -> object:
        facts = []
        for sentence in split_sentences(asked.new):
            self._asked += 1
            fact = {
                "statement": f"The user: {sentence[:200]}",
                "about": "user",
                "attribute": ("hobby", "goal", "city", "job", "note")[self._asked % 5],
                "value": sentence.strip(".!?")[:60],
                "since": "",
                "from": "",
                "until": "",
                "replaces": [self._asked % max(len(asked.known), 1) + 1],
                "was_wrong": self._asked % 7 == 0,
                "profile": True,
            }
            facts.append(fact)
        ended = [1] if self._asked % 3 == 0 else []
        return {"facts": facts[:5], "ended": ended, "wishes": [], "has_episode": False}


async def beside_rules(
    person: Person, model: Counting
) -> tuple[Mapping[str, Figure], Mapping[str, Figure]]:
    """Play a conversation by rules alone, and with a model."""
    with reading_with(None):
        by_rules = await play(person)
    with reading_with(model):
        return by_rules, await play(person)


async def report(people: Sequence[Person]) -> None:
    """Print what rules alone make of each conversation, and what a misleading model does."""
    columns = ("conversation", *(f"{name}: rules, model" for name in _TOLD))
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    calls: Counter[str] = Counter()
    for person in people:
        model = Misleading()
        both = await beside_rules(person, model)
        calls += model.calls
        cells = (
            ", ".join(f"{one[name].right} of {one[name].of}" for one in both) for name in _TOLD
        )
        print(f"| {' | '.join((person.id, *cells))} |", flush=True)
    print(f"\nCalls: {dict(calls)}")


def main() -> None:
    """Play all open conversations with misleading answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misleading", action="store_true", help="answers that mislead")
    parser.parse_args()
    asyncio.run(report([person for name in DEV for person in read_people(CASES / name)]))


if __name__ == "__main__":
    main()
