"""What all memory tools share: their arguments, the caller, the change they make, the errors."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from inspect import signature
from typing import TypeVar, cast
from uuid import uuid4

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt import ToolRuntime
from langgraph.store.base import BaseStore
from pydantic import (
    BaseModel,
    ConfigDict,
    JsonValue,
    StringConstraints,
    ValidationError,
    model_validator,
)

from memory_graph import clock, errors, telemetry
from memory_graph.background import run_sync
from memory_graph.context import Context
from memory_graph.curation.lookup import AmbiguousIdError
from memory_graph.keys import stable_id
from memory_graph.once import one_turn
from memory_graph.records import Change, MemoryDecision, Source
from memory_graph.safety.unseen import visible
from memory_graph.state import State
from memory_graph.store.owner import run_context
from memory_graph.store.scope import UserMemory, open_memory

Runtime = ToolRuntime[Context, State]
_NOWHERE = cast(Runtime, None)
"""Stands for the run where a tool is called without one."""

EVERY_PROJECT = "*"  # stands for all projects
_READING = ("get_", "query_", "search_", "recall_", "replay_", "bootstrap_", "list_", "find_")
_RUNTIME = "runtime"
_MOST_PROBLEMS = 8
_LONGEST_NAME = 60
_LONGEST_PROBLEM = 300


def text_of(longest: int, shortest: int = 0) -> StringConstraints:
    """Return the bounds of a text, which is taken without the blanks around it."""
    return StringConstraints(strip_whitespace=True, min_length=shortest or None, max_length=longest)


def only_reads(name: str) -> bool:
    """Say whether a tool only reads memory, by the verb that its name begins with."""
    return name.startswith(_READING)


@dataclass(frozen=True)
class Also:
    """Another name that an argument is accepted under."""

    name: str


class ToolArgs(BaseModel):
    """Arguments of a tool; unknown ones are refused, with the list of known ones.

    A number is taken where a text is asked for: models write `value: 4`.
    """

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)

    @model_validator(mode="before")
    @classmethod
    def _by_their_names(cls, given: object) -> object:
        if not isinstance(given, Mapping):
            return given
        fields = {name: name for name in cls.model_fields}
        for name, info in cls.model_fields.items():
            fields |= {each.name: name for each in info.metadata if isinstance(each, Also)}
        named = {str(name): value for name, value in given.items() if name != _RUNTIME}
        if unknown := [name[:_LONGEST_NAME] for name in named if name not in fields]:
            known = ", ".join(cls.model_fields)
            raise ValueError(f"unknown argument {', '.join(unknown)}; known are: {known}")
        meant: dict[str, str] = {}
        for name in named:
            other = meant.setdefault(fields[name], name)
            if other != name:
                raise ValueError(f"`{other}` and `{name}` mean the same; give one of them")
        return {fields[name]: _shown(value) for name, value in named.items()}


def _shown(value: object) -> object:
    """Return an argument without invisible characters in its texts."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {name: _shown(each) for name, each in value.items()}
    return [_shown(each) for each in value] if isinstance(value, list) else value


ArgsT = TypeVar("ArgsT", bound=ToolArgs)


@dataclass(frozen=True)
class Call:
    """One call of a tool: whose memory it is about, and what the ledger keeps of it."""

    runtime: Runtime
    tool: str

    @cached_property
    def memory(self) -> UserMemory:
        """The memory of the run's user."""
        return open_memory(self.runtime, self.runtime.config)

    @cached_property
    def context(self) -> Context:
        """The run's context."""
        return run_context(self.runtime, self.runtime.config)

    @cached_property
    def change(self) -> Change:
        """What the ledger keeps of a call that changes memory.

        Some models number their calls anew in every message, so the message counts too.
        """
        configurable = self.runtime.config.get("configurable") or {}
        thread_id = str(configurable.get("thread_id") or "")
        state: object = self.runtime.state
        messages = state.get("messages") if isinstance(state, dict) else None
        message_id = str(messages[-1].id or "") if messages else ""
        if message_id:
            telemetry.begin_turn(message_id)
        heard = (message_id,) if message_id else ()
        return Change(
            id=stable_id(thread_id, message_id, self.runtime.tool_call_id or ""),
            by=self.tool,
            at=clock.utc_now(),
            source=Source(thread_id=thread_id or None, message_ids=heard),
        )

    def project(self, named: str) -> str:
        """Return the project to look in: the one named, else the run's own; empty for all."""
        wanted = named or self.context.project or ""
        return "" if wanted == EVERY_PROJECT else wanted

    def report(self, *decisions: MemoryDecision) -> None:
        """Log and stream what was decided."""
        telemetry.report(self.runtime, self.tool, decisions)


@dataclass(frozen=True)
class Answer:
    """What a tool answers: a text for the model, and the same as data for programs."""

    text: str
    data: Mapping[str, JsonValue] = field(default_factory=dict)


_NO_RUN = (
    "A memory tool needs a run: give it to an agent, to `ToolNode`, or call it with "
    '`tool.invoke({..., "runtime": ToolRuntime(...)})`; without a graph, use '
    "`memory_graph.Memory`."
)


def memory_tool(run: Callable[[ArgsT, Call], Awaitable[str | Answer]]) -> StructuredTool:
    """Make a coroutine a tool that takes arguments by name and answers failures with text.

    The data of its answer is the artifact of the tool's message.
    """
    name, first = run.__name__, next(iter(signature(run).parameters.values()))
    args: type[ArgsT] = first.annotation
    assert args.model_fields, f"{name} needs a field: langchain passes no run to a tool without"

    async def called(
        runtime: Runtime = _NOWHERE, **given: object
    ) -> tuple[str, Mapping[str, JsonValue]]:
        if runtime is _NOWHERE:
            raise ToolException(_NO_RUN)
        asked = run(args.model_validate(given), Call(runtime, name))
        with one_turn():
            answer = await _in_words(asked, runtime, name)
        whole = answer if isinstance(answer, Answer) else Answer(answer)
        return whole.text, whole.data

    def waiting(
        runtime: Runtime = _NOWHERE, **given: object
    ) -> tuple[str, Mapping[str, JsonValue]]:
        return run_sync(lambda: called(runtime, **given))

    return StructuredTool.from_function(
        waiting,
        called,
        name=name,
        description=run.__doc__,
        args_schema=args,
        response_format="content_and_artifact",
        handle_tool_error=True,
        handle_validation_error=tell_misuse,
    )


def tell_misuse(error: object) -> str:
    """Return what is wrong with a call's arguments, without their values."""
    problems = []
    if isinstance(error, ValidationError):
        problems = error.errors(include_input=False, include_url=False, include_context=False)
    lines = []
    for each in problems[:_MOST_PROBLEMS]:
        where = ".".join(str(part)[:_LONGEST_NAME] for part in each["loc"])
        said = each["msg"].removeprefix("Value error, ")[:_LONGEST_PROBLEM]
        lines.append(f"{where}: {said}" if where else said)
    if (more := len(problems) - _MOST_PROBLEMS) > 0:
        lines.append(f"and {more} more")
    return f"Nothing was done. {'; '.join(lines) or 'The arguments do not fit'}."


async def _in_words(answer: Awaitable[str | Answer], runtime: Runtime, tool: str) -> str | Answer:
    """Answer a failure with an error message for the model instead of ending the run.

    A `ConfigurationError` is raised, because only the developer can fix it.
    """
    try:
        return await answer
    except (errors.ConfigurationError, GraphBubbleUp, ToolException):
        raise
    except (errors.RecordNotFoundError, AmbiguousIdError) as error:
        raise ToolException(f"{error} Nothing was changed.") from error
    except (errors.MemoryOffError, errors.RefusedError) as error:
        raise ToolException(str(error)) from error
    except Exception as error:
        telemetry.record(runtime, telemetry.NodeGaveUp.because(tool, error))
        raise ToolException("Memory does not answer right now.") from error


async def call_tool(
    called: BaseTool, args: Mapping[str, object], store: BaseStore, context: Context
) -> ToolMessage:
    """Call a tool outside a graph; the answer's status says whether it worked."""
    named = uuid4().hex
    runtime = Runtime(
        state=cast(State, {"messages": []}),
        context=context,
        config={},
        stream_writer=lambda _: None,
        tool_call_id=named,
        store=store,
    )
    given = {**args, _RUNTIME: runtime}
    call = {"type": "tool_call", "id": named, "name": called.name, "args": given}
    answer = await called.ainvoke(call)
    assert isinstance(answer, ToolMessage)
    return answer


def schema_of(called: BaseTool) -> dict[str, object]:
    """Return the arguments of a tool as models and clients see them."""
    schema = called.tool_call_schema
    assert isinstance(schema, type)
    assert issubclass(schema, BaseModel)
    return {**schema.model_json_schema(), "additionalProperties": False}
