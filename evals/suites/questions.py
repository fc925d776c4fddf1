"""Labelled questions and what memory answers, shared by several suites."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property

from langgraph.store.memory import InMemoryStore
from pydantic import BaseModel, ConfigDict

from evals.harness.runner import CASES
from memory_graph.context import Context
from memory_graph.recall.search import Recalled, recall
from memory_graph.records import Fact, Importance
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of

MEMORY, QUESTIONS = "retrieval_memory.jsonl", "retrieval_questions.jsonl"
NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)


class Known(BaseModel):
    """One statement in somebody's memory."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    of: str = "marta"
    """Whose memory; each is a world of its own."""

    statement: str
    said: date = NOW.date()
    importance: Importance = 3
    pinned: bool = False


class Question(BaseModel):
    """A question, and the statements that answer it; none if memory cannot."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    of: str = "marta"
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
        lines = self.recalled.bearing
        return [line.record.id for line in lines if isinstance(line.record, Fact)]

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


async def filled_memories() -> dict[str, UserMemory]:
    """Return everybody's memory, each with all their labelled statements."""
    store = InMemoryStore()
    memories: dict[str, UserMemory] = {}
    for of in {known.of for known in read_known()}:
        memory = memories[of] = memory_of(Owner(f"eval-{of}"), store)
        facts = [as_fact(known) for known in read_known() if known.of == of]
        await memory.commit(await memory.facts.puts(facts, NOW))
    return memories


async def ask_all() -> list[Answered]:
    """Ask every question, with the settings in force."""
    memories = await filled_memories()
    return [
        Answered(each, await recall(memories[each.of], each.ask, Context(user_id=each.of), NOW))
        for each in read_questions()
    ]


def as_fact(known: Known) -> Fact:
    """Return a statement as a fact of memory."""
    said = datetime.combine(known.said, NOW.timetz())
    return Fact(
        id=known.id,
        statement=known.statement,
        importance=known.importance,
        pinned=known.pinned,
        created_at=said,
        updated_at=said,
        last_verified_at=said,
        valid_from=said,
    )
