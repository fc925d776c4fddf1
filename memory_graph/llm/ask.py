"""The one place that asks a chat model for structured answers."""

import asyncio
from dataclasses import dataclass
from typing import Generic, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from pydantic import BaseModel, ValidationError

from memory_graph.errors import ExtractionError, MemoryGraphError, ModelUnavailableError
from memory_graph.llm.lean_schema import lean_schema
from memory_graph.llm.payload import read_payload
from memory_graph.llm.structured import invoke

Reply = TypeVar("Reply", bound=BaseModel)


@dataclass(frozen=True)
class Usage:
    """What model calls cost; tokens are unknown (`None`) where the endpoint does not say."""

    calls: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0

    def __add__(self, other: "Usage") -> "Usage":
        """Return both together; an unknown part makes the sum unknown."""
        return Usage(
            self.calls + other.calls,
            _sum(self.input_tokens, other.input_tokens),
            _sum(self.output_tokens, other.output_tokens),
        )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


@dataclass(frozen=True)
class Answer(Generic[Reply]):
    """A model's answer and its price."""

    reply: Reply
    usage: Usage


async def ask(
    model: BaseChatModel, prompt: str, reply: type[Reply], *, timeout_s: float
) -> Answer[Reply]:
    """Ask `model` to answer `prompt` as a `reply`.

    Raises:
        ExtractionError: If the answer does not fit.
        ModelUnavailableError: If it does not come: too late, refused by the endpoint, lost.
    """
    try:
        async with asyncio.timeout(timeout_s):
            message, calls = await invoke(model, prompt, lean_schema(reply))
    except MemoryGraphError:
        raise
    except TimeoutError as error:
        raise ModelUnavailableError(f"The model did not answer in {timeout_s:g} s.") from error
    except Exception as error:
        raise ModelUnavailableError(f"The model did not answer: {_cause(error)}.") from error
    return Answer(_read(message, reply), _usage(message, calls))


def _cause(error: Exception) -> str:
    """Name a provider's error without its text, which may quote the prompt."""
    status = getattr(error, "status_code", None)
    return f"{type(error).__name__} (HTTP {status})" if status else type(error).__name__


def _read(message: AIMessage, reply: type[Reply]) -> Reply:
    """Validate the answer ourselves, whatever the provider package made of it."""
    try:
        return reply.model_validate(read_payload(message))
    except ValidationError as error:
        raise ExtractionError(
            f"The model gave no usable `{reply.__name__}` ({error.error_count()} problems).",
            "wrong_shape",
        ) from error


def _usage(message: AIMessage, calls: int) -> Usage:
    counted = message.usage_metadata
    if counted is None:
        return Usage(calls, None, None)
    return Usage(calls, counted["input_tokens"], counted["output_tokens"])
