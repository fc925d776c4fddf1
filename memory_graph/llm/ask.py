"""Ask a chat model for structured answers, in a way that its endpoint supports, and price it."""

import asyncio
import inspect
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.utils.json import parse_partial_json
from pydantic import BaseModel, JsonValue, ValidationError

from memory_graph import prompts, telemetry
from memory_graph.errors import ExtractionError, MemoryGraphError, ModelUnavailableError
from memory_graph.records import Usage
from memory_graph.settings import Price, Settings

Way = Literal["json_schema", "function_calling", "plain"]
Schema = dict[str, JsonValue]
_WAYS: tuple[Way, ...] = ("json_schema", "function_calling", "plain")
_NOT_UNDERSTOOD = frozenset({400, 422})

CALLS = {
    "MessageRead": ("memory.read", "read_message"),
    "EpisodeDraft": ("memory.summarise", "write_episode"),
}
"""What a call is named in a trace, and the prompt it is made with, by what is asked for."""


def _internal(schema: Schema) -> RunnableConfig:
    """Keep the tokens of internal calls out of what the user is streamed; name them in traces."""
    name, prompt = CALLS.get(str(schema.get("title")), ("memory.ask", ""))
    version = {"memory_prompt": f"{prompt}/{prompts.version(prompt)}"} if prompt else {}
    metadata = {**telemetry.traced.get(), **version}
    return {"tags": ["nostream"], "run_name": name, "metadata": metadata}


_learnt: dict[tuple[str, ...], Way] = {}
"""Per model, the first way its endpoint took."""

_unquiet: set[tuple[str, ...]] = set()
"""Models whose endpoint refused a temperature or a limit of tokens."""

MOST_TOKENS = 2000
"""Longest answer. A limit: a small model may not find an end by itself."""

_LENGTHS = ("max_tokens", "max_output_tokens", "num_predict")
"""What providers call the longest answer."""

_THINKING = re.compile(r"(^|/)(o\d|gpt-5)")
"""Models that refuse a temperature, and whose thoughts count as tokens."""


def quiet(model: BaseChatModel, most_tokens: int = MOST_TOKENS) -> BaseChatModel:
    """Return a chat model as memory asks it: the same answer every time, short, in one piece.

    What suits a conversation, such as a temperature and streaming, does not suit reading; and
    a streamed answer often comes without its usage. A model that thinks is left as it is, and
    so is one whose class we do not know.
    """
    fields = getattr(type(model), "model_fields", {})
    if "temperature" not in fields:
        return model
    changes: dict[str, object] = {"disable_streaming": True}
    if "streaming" in fields:
        changes["streaming"] = False
    if not _thinks(model) and _key(model) not in _unquiet:
        changes["temperature"] = 0.0
        changes |= {name: most_tokens for name in _LENGTHS if name in fields}
    return model.model_copy(update=changes)


def name_of(model: BaseChatModel | None) -> str:
    """Return the name under which its provider knows a model; empty if nothing tells it."""
    return str(getattr(model, "model_name", None) or getattr(model, "model", None) or "")


def _thinks(model: BaseChatModel) -> bool:
    told = (getattr(model, name, None) for name in ("thinking", "reasoning", "reasoning_effort"))
    return any(told) or bool(_THINKING.search(name_of(model)))


async def invoke(
    model: BaseChatModel, prompt: str, schema: Schema, most_tokens: int = MOST_TOKENS
) -> tuple[AIMessage, int]:
    """Return the model's raw message and how many calls it took.

    An endpoint that refuses the request itself (HTTP 400) is asked in a simpler way, and
    from then on only in that way.
    """
    try:
        return await _invoke(quiet(model, most_tokens), prompt, schema)
    except Exception as error:
        if not _refuses_quiet(error) or _key(model) in _unquiet:
            raise
        _unquiet.add(_key(model))
    message, calls = await _invoke(quiet(model, most_tokens), prompt, schema)
    return message, calls + 1


def _refuses_quiet(error: Exception) -> bool:
    """Say whether an endpoint refused how we ask rather than what."""
    words = ("temperature", *_LENGTHS)
    return _status(error) in _NOT_UNDERSTOOD and any(word in str(error) for word in words)


def _status(error: Exception) -> object:
    """Return the HTTP status of a provider's error, wherever its package keeps it."""
    response = getattr(error, "response", None)
    kept = (getattr(error, "status_code", None), getattr(error, "code", None))
    return next((each for each in kept if each), getattr(response, "status_code", None))


async def _invoke(model: BaseChatModel, prompt: str, schema: Schema) -> tuple[AIMessage, int]:
    model_key = _key(model)
    ways = _WAYS[_WAYS.index(_learnt.get(model_key, _WAYS[0])) :]
    refused = 0
    for way in ways:
        try:
            message = await _ask(model, prompt, schema, way)
        except NotImplementedError:
            continue
        except Exception as error:
            if way == _WAYS[-1] or _status(error) not in _NOT_UNDERSTOOD or _refuses_quiet(error):
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
        shape = f"{prompt}\n\nAnswer with JSON of this schema only:\n{json.dumps(schema)}"
        return _as_ai_message(await model.ainvoke(shape, _internal(schema)))
    if way == "function_calling":
        bound = model.bind_tools([schema], tool_choice="any")
        return _as_ai_message(await bound.ainvoke(prompt, _internal(schema)))
    try:
        answered = await _structured(model, schema).ainvoke(prompt, _internal(schema))
    except Exception as error:
        # The provider package gave up on an answer for its length: what it held may be read.
        choices = getattr(getattr(error, "completion", None), "choices", None)
        if not choices:
            raise
        return AIMessage(choices[0].message.content or "")
    return _as_ai_message(answered["raw"] if isinstance(answered, Mapping) else answered)


_LENGTHS_OF_STRINGS = frozenset({"minLength", "maxLength"})


def _structured(model: BaseChatModel, schema: Schema) -> Runnable[LanguageModelInput, Any]:
    """Hold a model to exactly the schema, where the provider's package knows how."""
    if "strict" not in inspect.signature(model.with_structured_output).parameters:
        return model.with_structured_output(schema, include_raw=True)
    address = str(getattr(model, "openai_api_base", None) or "api.openai.com")
    if "api.openai.com" in address:  # OpenAI's own strict schemas have no lengths of strings
        schema = {name: _without_lengths(value) for name, value in schema.items()}
    return model.with_structured_output(schema, include_raw=True, strict=True)


def _without_lengths(schema: JsonValue) -> JsonValue:
    if not isinstance(schema, dict):
        return schema
    kept = {name: value for name, value in schema.items() if name not in _LENGTHS_OF_STRINGS}
    return {name: _without_lengths(value) for name, value in kept.items()}


def _key(model: BaseChatModel) -> tuple[str, ...]:
    names = ("model_name", "model", "openai_api_base", "base_url")
    named = (getattr(model, name, "") for name in names)
    return (type(model).__qualname__, *map(str, named))


def _as_ai_message(message: object) -> AIMessage:
    if not isinstance(message, AIMessage):
        raise ExtractionError(f"The model answered with a {type(message).__name__}.")
    return message


_decoder = json.JSONDecoder(strict=False)
_MOST_OPENINGS = 20
_LISTED = re.compile(r"\[\s*\{")


def read_payload(message: AIMessage) -> object:
    """Return the JSON of an answer: a tool call's, or the first in the text.

    Raises:
        ExtractionError: If the model refused, or there is no JSON to be read.
    """
    if refusal := message.additional_kwargs.get("refusal"):
        raise ExtractionError(f"The model refused ({len(str(refusal))} characters).", "refused")
    if message.tool_calls:
        return message.tool_calls[0]["args"]
    if message.invalid_tool_calls:
        return _decode(str(message.invalid_tool_calls[0]["args"]))
    return _decode(str(message.text))


def _decode(text: str) -> object:
    """Return the first JSON in a text; of one that was cut off, what was complete."""
    openings = [place for place, character in enumerate(text) if character in "{["]
    if not openings:
        raise ExtractionError("The model answered without JSON.", "no_json")
    first, *others = openings[:_MOST_OPENINGS]
    for read, start in ((_whole, first), (_partial, first), *((_whole, each) for each in others)):
        try:
            return read(text, start)
        except ValueError:
            continue
    raise ExtractionError("The model's JSON could not be read.", "unreadable_json")


def _whole(text: str, start: int) -> object:
    return _decoder.raw_decode(text, start)[0]


def _partial(text: str, start: int) -> object:
    """Read what was cut off; half an object in a list becomes `null`, so that it is counted."""
    body = text[start:].removesuffix("```").strip()
    if _LISTED.search(body):
        body = f"{body[: body.rindex('}') + 1]}, null"
    return parse_partial_json(body)


_SAID_ELSEWHERE = frozenset("title description default examples additionalProperties".split())
"""The prompt says what fields mean."""


def lean_schema(reply: type[BaseModel]) -> dict[str, JsonValue]:
    """Return a reply's JSON schema: names, types and lengths, every field required.

    A field that may be left out is left out by small models, whatever it is; and strict
    schemas have no other.
    """
    schema = reply.model_json_schema()
    lean = _lean(schema, schema.get("$defs", {}))
    assert isinstance(lean, dict)
    return {"title": reply.__name__, **lean}


def _lean(schema: JsonValue, shared: Mapping[str, JsonValue]) -> JsonValue:
    if not isinstance(schema, dict):
        return schema
    if isinstance(name := schema.get("$ref"), str):
        return _lean(shared[name.rpartition("/")[2]], shared)
    if isinstance(choices := schema.get("anyOf"), list):  # what is unknown may be left out
        return _lean(next(each for each in choices if each != {"type": "null"}), shared)
    kept = {key: value for key, value in schema.items() if key not in _SAID_ELSEWHERE | {"$defs"}}
    if "items" in kept:
        kept["items"] = _lean(kept["items"], shared)
    if isinstance(fields := kept.get("properties"), dict):
        kept["properties"] = {name: _lean(field, shared) for name, field in fields.items()}
        kept |= {"required": list(fields), "additionalProperties": False}
    return kept


Reply = TypeVar("Reply", bound=BaseModel)


@dataclass(frozen=True)
class Answer(Generic[Reply]):
    """A model's answer and its price."""

    reply: Reply
    usage: Usage


async def ask(  # noqa: PLR0913 — two whom to ask what, and three limits, by name
    model: BaseChatModel,
    prompt: str,
    reply: type[Reply],
    *,
    timeout_s: float,
    asked: type[BaseModel] | None = None,
    most_tokens: int = MOST_TOKENS,
) -> Answer[Reply]:
    """Ask `model` to answer `prompt` as a `reply`.

    Args:
        model: Any chat model; it is asked quietly, see `quiet`.
        prompt: What it is shown. It names the JSON and its fields, as not every endpoint
            shows the model the schema it holds it to.
        reply: What the answer is read as.
        timeout_s: Longest wait.
        asked: What the model is asked for, where the reader takes more than that.
        most_tokens: Longest answer.

    Raises:
        ExtractionError: If the answer does not fit.
        ModelUnavailableError: If it does not come: too late, refused by the endpoint, lost.
    """
    try:
        async with asyncio.timeout(timeout_s):
            schema = {**lean_schema(asked or reply), "title": reply.__name__}
            message, calls = await invoke(model, prompt, schema, most_tokens)
    except MemoryGraphError:
        raise
    except TimeoutError as error:
        raise ModelUnavailableError(f"The model did not answer in {timeout_s:g} s.") from error
    except Exception as error:  # named without its text, which may quote the prompt
        status = _status(error)
        cause = f"{type(error).__name__}{f' (HTTP {status})' if status else ''}"
        raise ModelUnavailableError(f"The model did not answer: {cause}.") from error
    counted = message.usage_metadata or {"input_tokens": None, "output_tokens": None}
    usage = Usage(calls, counted["input_tokens"], counted["output_tokens"])
    return Answer(_read(message, reply), usage)


def _read(message: AIMessage, reply: type[Reply]) -> Reply:
    """Validate the answer ourselves, whatever the provider package made of it."""
    try:
        return reply.model_validate(read_payload(message))
    except ValidationError as error:
        raise ExtractionError(
            f"The model gave no usable `{reply.__name__}` ({error.error_count()} problems).",
            "wrong_shape",
        ) from error


_CHARACTERS_PER_TOKEN = 3
"""Fewer than English needs, so that an estimate is rather too high."""

_SHORTEST_ANSWER = 100
"""Fewer tokens hold no answer."""

_ASSUMED = Price(1.0, 4.0)
"""Of a model whose price nobody said, in USD per million tokens: a small one of a provider."""

_MILLION = 1_000_000


@dataclass(frozen=True)
class Tariff:
    """The price of one model, if anybody said it, and how much one call may cost."""

    price: Price | None
    limit_usd: float

    def most_tokens(self, prompt: str) -> int:
        """Return how long an answer may be for a call to stay under the limit; 0: not made.

        Without a price, one is assumed: a budget bounds every model.
        """
        price = self.price or _ASSUMED
        asked = len(prompt) / _CHARACTERS_PER_TOKEN * price.input / _MILLION
        left = (self.limit_usd - asked) * _MILLION
        most = MOST_TOKENS if price.output <= 0 else min(MOST_TOKENS, int(left / price.output))
        return most if left >= 0 and most >= _SHORTEST_ANSWER else 0

    def cost(self, usage: Usage) -> float | None:
        """Return what calls cost in USD; `None` if the price or the tokens are unknown."""
        if usage.calls == 0:
            return 0.0
        if self.price is None or usage.input_tokens is None or usage.output_tokens is None:
            return None
        paid = usage.input_tokens * self.price.input + usage.output_tokens * self.price.output
        return paid / _MILLION


def tariff_of(
    model: BaseChatModel | None, settings: Settings, limit_usd: float | None = None
) -> Tariff:
    """Return the tariff of a model; a call without a limit may cost as much as an episode."""
    return Tariff(settings.prices.get(name_of(model)), limit_usd or settings.episode_budget_usd)
