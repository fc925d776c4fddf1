"""How is a model told the shape of its answer, and what if its endpoint does not know how?"""

from collections.abc import Mapping
from json import dumps
from typing import Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from pydantic import JsonValue

from memory_graph.errors import ExtractionError

Way = Literal["json_schema", "function_calling", "plain"]
Schema = dict[str, JsonValue]

_WAYS: tuple[Way, ...] = ("json_schema", "function_calling", "plain")
_NOT_UNDERSTOOD = frozenset({400, 422})
_INTERNAL: RunnableConfig = {"tags": ["nostream"], "run_name": "memory"}
"""Keeps the tokens of internal calls out of what the user is streamed."""

_learnt: dict[tuple[str, ...], Way] = {}
"""Per model, the first way its endpoint took."""


async def invoke(model: BaseChatModel, prompt: str, schema: Schema) -> tuple[AIMessage, int]:
    """Return the model's raw message and how many calls it took.

    An endpoint that refuses the request itself (HTTP 400) is asked in a simpler way, and
    from then on only in that way.
    """
    model_key = _key(model)
    ways = _WAYS[_WAYS.index(_learnt.get(model_key, _WAYS[0])) :]
    refused = 0
    for way in ways:
        try:
            message = await _ask(model, prompt, schema, way)
        except NotImplementedError:
            continue
        except Exception as error:
            if way == _WAYS[-1] or getattr(error, "status_code", None) not in _NOT_UNDERSTOOD:
                raise
            refused += 1
        else:
            _learnt[model_key] = way
            return message, refused + 1
    raise AssertionError("the last way either answers or raises")


async def _ask(model: BaseChatModel, prompt: str, schema: Schema, way: Way) -> AIMessage:
    """Ask in one way.

    The schema goes as a plain mapping: with a pydantic class the provider package raises
    on a truncated or slightly wrong answer before anything of it can be saved.
    """
    if way == "plain":
        shape = f"{prompt}\n\nAnswer with JSON of this schema only:\n{dumps(schema)}"
        return _as_ai_message(await model.ainvoke(shape, _INTERNAL))
    if way == "function_calling":
        bound = model.bind_tools([schema], tool_choice="any")
        return _as_ai_message(await bound.ainvoke(prompt, _INTERNAL))
    runnable = model.with_structured_output(schema, include_raw=True)
    try:
        answered = await runnable.ainvoke(prompt, _INTERNAL)
    except Exception as error:
        if (cut := _cut_short(error)) is None:
            raise
        return cut
    return _as_ai_message(answered["raw"] if isinstance(answered, Mapping) else answered)


def _cut_short(error: Exception) -> AIMessage | None:
    """Return what an answer held that the provider package gave up on for its length."""
    choices = getattr(getattr(error, "completion", None), "choices", None)
    return AIMessage(choices[0].message.content or "") if choices else None


def _key(model: BaseChatModel) -> tuple[str, ...]:
    named = (getattr(model, name, "") for name in ("model_name", "openai_api_base"))
    return (type(model).__qualname__, *map(str, named))


def _as_ai_message(message: object) -> AIMessage:
    if not isinstance(message, AIMessage):
        raise ExtractionError(f"The model answered with a {type(message).__name__}.")
    return message
