"""Reads the facts of a message with the model of a run."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from langgraph.store.memory import InMemoryStore

from evals.harness.runner import Setup
from memory_graph.context import Context
from memory_graph.errors import ModelUnavailableError
from memory_graph.facts.reading import Message, ReadResult, read
from memory_graph.language.words import language_of
from memory_graph.llm.models import patience_with
from memory_graph.records import Said
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of


class NoAnswerError(Exception):
    """The model of a run gave no usable answer: the case is wrong, the run goes on."""


async def extract(
    texts: Sequence[str], today: date, setup: Setup, memory: UserMemory | None = None
) -> tuple[Message, ReadResult]:
    """Read the facts of the last of `texts`, as the hot path does.

    There a message waits for a model that fails; here that would hide the failure.

    Raises:
        NoAnswerError: If the run has a model, and it fails.
    """
    *before, text = texts
    message = Message(
        text=text,
        message_id=f"m{len(texts)}",
        at=datetime.combine(today, time(12), UTC),
        zone=ZoneInfo("UTC"),
        language=language_of(text),
        before=tuple(Said(role="user", text=each) for each in before),
    )
    memory = memory or memory_of(Owner("eval"), InMemoryStore())
    patience = patience_with(setup.model).episode_s
    try:
        found = await read(message, memory, setup.model, patience, Context())
    except ModelUnavailableError as error:
        raise NoAnswerError(str(error)) from error
    if any(each.reason in _UNUSABLE for each in found.skipped):
        raise NoAnswerError("The model gave no usable answer.")
    return message, found


_UNUSABLE = frozenset(
    {"unusable_answer", "wrong_shape", "no_json", "unreadable_json", "refused", "unusable_output"}
)
