"""What does memory answer to the labelled questions? Measured once, judged by several suites."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from langgraph.store.memory import InMemoryStore
from pydantic import BaseModel, ConfigDict

from evals.harness import CASES
from memory_graph.context import Context
from memory_graph.policy.ranking import RankingWeights
from memory_graph.records import Fact
from memory_graph.steps.recall import Recalled, recall
from memory_graph.storage.scope import Owner, UserMemory, memory_of

MEMORY, QUESTIONS = "retrieval_memory.jsonl", "retrieval_questions.jsonl"
_AT = datetime(2026, 11, 16, 12, tzinfo=UTC)


class Known(BaseModel):
    """One statement in memory."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    statement: str


class Question(BaseModel):
    """A question, and the statements that answer it; none if memory cannot."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    ask: str
    want: frozenset[str]


@dataclass(frozen=True)
class Answered:
    """A question and everything memory brought up for it."""

    question: Question
    recalled: Recalled

    @cached_property
    def ranked(self) -> list[str]:
        """The ids of the facts found, best first."""
        return [found.record.id for found in self.recalled.facts]

    @property
    def best(self) -> float:
        """How relevant memory thinks its best hit is."""
        return self.recalled.verdict.best


def read_questions() -> list[Question]:
    """Return the labelled questions."""
    lines = (CASES / QUESTIONS).read_text(encoding="utf-8").splitlines()
    return [Question.model_validate_json(line) for line in lines]


def read_known() -> list[Known]:
    """Return the statements in memory."""
    lines = (CASES / MEMORY).read_text(encoding="utf-8").splitlines()
    return [Known.model_validate_json(line) for line in lines]


async def filled_memory() -> UserMemory:
    """Return a memory that holds every labelled statement."""
    memory = memory_of(Owner("eval-asking"), InMemoryStore())
    await memory.commit(await memory.facts.puts(list(_facts()), _AT))
    return memory


async def ask_all(weights: RankingWeights | None = None) -> list[Answered]:
    """Ask every question, with the settings in force or with other weights."""
    memory = await filled_memory()
    context = Context(user_id="eval-asking")
    if weights is not None:
        policy = context.recall.model_copy(update={"weights": weights})
        context = context.model_copy(update={"recall": policy})
    return [
        Answered(question, await recall(memory, question.ask, context, _AT))
        for question in read_questions()
    ]


def _facts() -> Iterator[Fact]:
    for known in read_known():
        yield Fact(
            id=known.id,
            statement=known.statement,
            created_at=_AT,
            updated_at=_AT,
            last_verified_at=_AT,
            valid_from=_AT,
        )
