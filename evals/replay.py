"""What a conversation is worth with a model's recorded answers, or misleading ones, beside rules.

Run `python -m evals.replay` for the recorded answers to one conversation: the files are what
`evals/real_model.py --keep` writes. With `--misleading` a scripted model says of every message
that it replaces or ends a known fact; then all open conversations are played.
"""

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import PrivateAttr

from evals.harness.runner import CASES, Figure
from evals.model_calls import Asked, Counting, reading_with
from evals.suites.people import DEV, play, read_people
from evals.suites.people_scoring import Person
from memory_graph.language.sentences import split_sentences

FILES = sorted((Path(__file__).parents[1] / "tests" / "recordings").glob("*.jsonl"))
OPEN = CASES / "people" / "fifth_hand_dev.json"
_NOTHING = {"facts": [], "has_episode": False, "episode": ""}
_TOLD = ("facts kept", "corrected", "sound facts", "in block")


@dataclass(frozen=True)
class Recording:
    """What a model answered about a message, and which facts it was shown."""

    answered: str
    known: Sequence[str] | None
    """Nothing where it was not recorded: then its numbers are taken as they are."""

    def beside(self, known: Sequence[str]) -> object:
        """Return the answer with the numbers that the same facts have now."""
        answer = json.loads(self.answered)
        for fact in answer["facts"] if self.known is not None else ():
            number = int(fact.get("replaces") or 0)
            named = (self.known or ())[number - 1] if 0 < number <= len(self.known or ()) else None
            fact["replaces"] = known.index(named) + 1 if named in known else 0
        return answer


def read_recordings(paths: Iterable[Path]) -> dict[str, Recording]:
    """Return the recorded answers about facts by their message; the last one counts."""
    lines = (line for path in paths for line in path.read_text("utf-8").splitlines())
    rows = (json.loads(line) for line in lines)
    return {
        row["said"][-1]: Recording(row["answered"], row.get("known"))
        for row in rows
        if row["part"] == "extraction"
    }


class Replayed(Counting):
    """Answers about a message as a model did that was asked about it."""

    recordings: Mapping[str, Recording]

    async def _facts(self, asked: Asked) -> object:
        found = self.recordings.get(asked.new)
        if found is None:
            self._calls["not recorded"] += 1
            return _NOTHING
        return found.beside(asked.known)


class Misleading(Counting):
    """Says of every message that it replaces, or ends, one of the facts that it is shown."""

    _asked: int = PrivateAttr(default=0)

    async def _facts(self, asked: Asked) -> object:
        facts = []
        for sentence in split_sentences(asked.new):
            self._asked += 1
            number = self._asked % max(len(asked.known), 1)
            fact = {
                "words": sentence,
                "replaces": number + 1,
                "ended": self._asked % 3 == 0,
                "entity": "user",
                "entity_kind": "self",
                "attribute": ("hobby", "goal", "city", "job", "note")[self._asked % 5],
                "value": sentence.strip(".!?")[:60],
                "date": "",
                "statement": f"The user: {sentence[:200]}",
            }
            facts.append(fact)
        return {"facts": facts[:5], "has_episode": False, "episode": ""}


async def beside_rules(
    person: Person, model: Counting
) -> tuple[Mapping[str, Figure], Mapping[str, Figure]]:
    """Play a conversation by rules alone, and with a model."""
    with reading_with(None):
        by_rules = await play(person)
    with reading_with(model):
        return by_rules, await play(person)


async def report(people: Sequence[Person], make: Callable[[], Counting]) -> None:
    """Print what rules alone make of each conversation, and what a model does."""
    columns = ("conversation", *(f"{name}: rules, model" for name in _TOLD))
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    calls: Counter[str] = Counter()
    for person in people:
        model = make()
        both = await beside_rules(person, model)
        calls += model.calls
        cells = (
            ", ".join(f"{one[name].right} of {one[name].of}" for one in both) for name in _TOLD
        )
        print(f"| {' | '.join((person.id, *cells))} |", flush=True)
    print(f"\nCalls: {dict(calls)}")


def main() -> None:
    """Play one conversation with recorded answers, or all with misleading ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, default=FILES)
    parser.add_argument("--people", type=Path, default=OPEN, help="a file of conversations")
    parser.add_argument("--person", default="phd_hydro", help="whose conversation is played")
    parser.add_argument("--misleading", action="store_true", help="answers that mislead")
    args = parser.parse_args()
    if args.misleading:
        people = [person for name in DEV for person in read_people(CASES / name)]
        asyncio.run(report(people, Misleading))
        return
    people = [each for each in read_people(args.people) if each.id == args.person]
    recordings = read_recordings(args.files)
    asyncio.run(report(people, lambda: Replayed(recordings=recordings)))


if __name__ == "__main__":
    main()
