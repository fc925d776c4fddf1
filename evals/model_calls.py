"""How often a model would be asked about the open conversations, beside LangMem's one call a turn.

Run `python -m evals.model_calls`. The model is scripted: it finds no fact, and takes for an
episode what the head `outcome` does. So it counts calls, and says nothing about quality.
"""

import argparse
import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr

from evals.harness.runner import CASES
from evals.suites.people import DEV, play, read_people
from evals.suites.people_scoring import Person
from memory_graph.language.points import points
from memory_graph.llm import models
from memory_graph.reading import read_message
from memory_graph.settings import get_settings

_NAME = "scripted"
_COLUMNS = ("conversation", "turns", "facts", "episodes", "turns a call")


@dataclass(frozen=True)
class Asked:
    """What a prompt shows of a conversation."""

    said: Sequence[str]
    """The messages, the new one last."""

    known: Sequence[str]
    """The known facts, in the order of their numbers."""

    @property
    def new(self) -> str:
        """The message that is to be read."""
        return self.said[-1]


class Counting(BaseChatModel):
    """Answers each kind of request, and counts it."""

    _calls: Counter[str] = PrivateAttr(default_factory=Counter)

    @property
    def calls(self) -> Counter[str]:
        """What was asked so far, by kind."""
        return self._calls

    @property
    def _llm_type(self) -> str:
        return _NAME

    def _generate(self, *args: object, **kwargs: object) -> ChatResult:
        raise NotImplementedError("Memory asks asynchronously.")

    async def _agenerate(
        self, messages: list[BaseMessage], *args: object, **kwargs: object
    ) -> ChatResult:
        kind, answer = await self._answer(str(messages[-1].text))
        self._calls[kind] += 1
        return ChatResult(generations=[ChatGeneration(message=AIMessage(json.dumps(answer)))])

    async def _answer(self, prompt: str) -> tuple[str, object]:
        if asked := asked_about(prompt):
            return "facts", await self._facts(asked)
        said = " ".join(prompt.rpartition("The exchange:")[2].split())
        return "episodes", {"summary": said[:400], "topic": said[:60]}

    async def _facts(self, asked: Asked) -> object:
        """Return what it answers about a message."""
        heads = (await read_message(asked.new)).heads
        tells = max(head.outcome for head in heads) >= points()["outcome"]
        return {"facts": [], "ended": [], "wishes": [], "has_episode": tells}


def asked_about(prompt: str) -> Asked | None:
    """Return what a prompt asks about, if it asks for facts."""
    _, _, data = prompt.rpartition("Below is data")
    said = re.findall(r"^(?:user|NEW): (.+)$", data, re.M)
    known = re.findall(r"^\d+\. (.+)$", data, re.M)
    return Asked(said, known) if "\nNEW: " in data else None


@contextmanager
def reading_with(model: BaseChatModel | None) -> Iterator[None]:
    """Let a model read facts and write episodes, or nobody but the rules; replies are offline."""
    load = models.load_model

    def loaded(given: models.ModelLike | None, *, retries: int = 1) -> BaseChatModel | None:
        return model if given == _NAME else load(given, retries=retries)

    wanted = {"MEMORY_GRAPH_MODEL": "", "MEMORY_EXTRACTION_MODEL": _NAME if model else ""}
    with patch.dict("os.environ", wanted), patch.object(models, "load_model", loaded):
        get_settings.cache_clear()
        yield
    get_settings.cache_clear()


async def count(people: Sequence[Person], model: Counting) -> None:
    """Play conversations with the model, and print how often each asked it."""
    print(f"| {' | '.join(_COLUMNS)} |\n|{'---|' * len(_COLUMNS)}")
    with reading_with(model):
        for person in people:
            before = model.calls.copy()
            await play(person)
            _print(person.id, len(person.turns), model.calls - before)
    _print("all", sum(len(person.turns) for person in people), model.calls)


def _print(name: str, turns: int, calls: Counter[str]) -> None:
    kinds = (str(calls[kind]) for kind in ("facts", "episodes"))
    each = f"{turns / max(1, calls.total()):.2f}"
    print(f"| {' | '.join((name, str(turns), *kinds, each))} |", flush=True)


def main() -> None:
    """Count the calls of the conversations in files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, default=[CASES / name for name in DEV])
    people = [person for path in parser.parse_args().files for person in read_people(path)]
    asyncio.run(count(people, Counting()))


if __name__ == "__main__":
    main()
