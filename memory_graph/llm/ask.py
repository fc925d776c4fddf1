"""The one place that asks a chat model for structured answers."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.utils.json import parse_partial_json
from pydantic import BaseModel, ValidationError

from memory_graph.errors import ExtractionError

Reply = TypeVar("Reply", bound=BaseModel)

_INTERNAL: RunnableConfig = {"tags": ["nostream"], "run_name": "memory"}
"""Keeps the tokens of internal calls out of what the user is streamed."""


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
        ExtractionError: If the answer does not fit, or does not come in time. Provider
            errors (rate limits, outages) pass through.
    """
    try:
        async with asyncio.timeout(timeout_s):
            message = await _structured(model, prompt, reply)
    except TimeoutError as error:
        raise ExtractionError(f"The model did not answer in {timeout_s:g} s.") from error
    return Answer(_read(message, reply), _usage(message))


async def _structured(model: BaseChatModel, prompt: str, reply: type[BaseModel]) -> AIMessage:
    """Return the raw message of a call that was told the reply's JSON schema.

    The schema goes as a plain mapping: with a pydantic class the provider package raises
    on a truncated or slightly wrong answer before anything of it can be saved.
    """
    schema = reply.model_json_schema()
    try:
        runnable = model.with_structured_output(schema, include_raw=True)
    except NotImplementedError:
        bare = await model.ainvoke(f"{prompt}\n\nAnswer with JSON only:\n{schema}", _INTERNAL)
        return _as_ai_message(bare)
    answered = await runnable.ainvoke(prompt, _INTERNAL)
    return _as_ai_message(answered["raw"] if isinstance(answered, Mapping) else answered)


def _as_ai_message(message: object) -> AIMessage:
    if not isinstance(message, AIMessage):
        raise ExtractionError(f"The model answered with a {type(message).__name__}.")
    return message


def _read(message: AIMessage, reply: type[Reply]) -> Reply:
    """Validate the answer ourselves, whatever the provider package made of it."""
    try:
        return reply.model_validate(_payload(message))
    except ValidationError as error:
        raise ExtractionError(
            f"The model gave no usable `{reply.__name__}` ({error.error_count()} problems)."
        ) from error


def _payload(message: AIMessage) -> object:
    if message.tool_calls:
        return message.tool_calls[0]["args"]
    text = str(message.text).strip()
    start = text.find("{")
    if start < 0:
        raise ExtractionError("The model answered without JSON.")
    body = text[start:].removesuffix("```").strip()
    try:
        return parse_partial_json(body)
    except json.JSONDecodeError as error:
        raise ExtractionError("The model's JSON could not be read.") from error


def _usage(message: AIMessage) -> Usage:
    counted = message.usage_metadata
    if counted is None:
        return Usage(1, None, None)
    return Usage(1, counted["input_tokens"], counted["output_tokens"])
