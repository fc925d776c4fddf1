"""What all memory tools share: their arguments, the caller, the change they make, the errors."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from typing import TypeVar, cast
from uuid import uuid4

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt import ToolRuntime
from langgraph.store.base import BaseStore
from pydantic import AliasChoices, BaseModel, ConfigDict, ValidationError, model_validator

from memory_graph import clock, telemetry
from memory_graph.background import run_sync
from memory_graph.context import Context
from memory_graph.curation.lookup import AmbiguousIdError
from memory_graph.errors import ConfigurationError, MemoryOffError, RecordNotFoundError
from memory_graph.keys import stable_id
from memory_graph.records import Change, MemoryDecision, Source
from memory_graph.state import State
from memory_graph.store.scope import UserMemory, open_memory, run_context

Runtime = ToolRuntime[Context, State]

EVERY_PROJECT = "*"
"""Names no project, and so looks in all of them."""

_READING = ("get_", "query_", "search_", "recall_", "replay_", "bootstrap_", "list_", "find_")
_RUNTIME = "runtime"
_MOST_PROBLEMS = 8
_LONGEST_NAME = 60
_LONGEST_PROBLEM = 300


def only_reads(name: str) -> bool:
    """Say whether a tool leaves memory as it is, by the verb that its name begins with."""
    return name.startswith(_READING)


class ToolArgs(BaseModel):
    """Arguments that refuse what they do not know, and say what they do know."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    @model_validator(mode="before")
    @classmethod
    def _knows_every_argument(cls, given: object) -> object:
        if not isinstance(given, Mapping):
            return given
        named = {str(name): value for name, value in given.items() if name != _RUNTIME}
        names = _names_of(cls)
        if unknown := [name[:_LONGEST_NAME] for name in named if name not in names]:
            known = ", ".join(cls.model_fields)
            raise ValueError(f"unknown argument {', '.join(unknown)}; known are: {known}")
        _refuse_twice(named, names)
        return named


ArgsT = TypeVar("ArgsT", bound=ToolArgs)


def _names_of(args: type[BaseModel]) -> dict[str, str]:
    """Return the field that each accepted name means."""
    names = {name: name for name in args.model_fields}
    for name, field in args.model_fields.items():
        if isinstance(field.validation_alias, AliasChoices):
            names |= {str(each): name for each in field.validation_alias.choices}
    return names


def _refuse_twice(named: Mapping[str, object], names: Mapping[str, str]) -> None:
    given: dict[str, str] = {}
    for name in named:
        if other := given.get(names[name]):
            raise ValueError(f"`{other}` and `{name}` mean the same; give one of them")
        given[names[name]] = name


def also(name: str, *others: str) -> AliasChoices:
    """Return the names an argument is accepted under; the first is the one that is shown."""
    return AliasChoices(name, *others)


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
        message_id = _last_message_id(self.runtime.state)
        if message_id:
            telemetry.begin_turn(message_id)
        return Change(
            id=stable_id(thread_id, message_id, self.runtime.tool_call_id or ""),
            by=self.tool,
            at=clock.utc_now(),
            source=Source(
                thread_id=thread_id or None, message_ids=(message_id,) if message_id else ()
            ),
        )

    def project(self, named: str) -> str:
        """Return the project to look in: the one named, else the run's own; empty for all."""
        wanted = named or self.context.project or ""
        return "" if wanted == EVERY_PROJECT else wanted

    def report(self, *decisions: MemoryDecision) -> None:
        """Log and stream what was decided."""
        telemetry.report(self.runtime, self.tool, decisions)


def memory_tool(run: Callable[[ArgsT, Call], Awaitable[str]]) -> StructuredTool:
    """Make a coroutine a tool that takes its arguments by name, and answers failures in words."""
    name, first = run.__name__, next(iter(signature(run).parameters.values()))
    args: type[ArgsT] = first.annotation

    async def called(runtime: Runtime, **given: object) -> str:
        return await _in_words(run(args.model_validate(given), Call(runtime, name)), runtime, name)

    def waiting(runtime: Runtime, **given: object) -> str:
        return run_sync(lambda: called(runtime, **given))

    return StructuredTool.from_function(
        waiting,
        called,
        name=name,
        description=run.__doc__,
        args_schema=args,
        handle_tool_error=True,
        handle_validation_error=tell_misuse,
    )


def tell_misuse(error: object) -> str:
    """Return what is wrong with a call's arguments, without what they hold."""
    problems = (
        error.errors(include_input=False, include_url=False, include_context=False)
        if isinstance(error, ValidationError)
        else []
    )
    told = [_problem(each["loc"], each["msg"]) for each in problems[:_MOST_PROBLEMS]]
    more = len(problems) - _MOST_PROBLEMS
    listed = "; ".join([*told, *([f"and {more} more"] if more > 0 else [])])
    return f"Nothing was done. {listed or 'The arguments do not fit'}."


def _problem(place: tuple[int | str, ...], text: str) -> str:
    where = ".".join(str(each)[:_LONGEST_NAME] for each in place)
    said = text.removeprefix("Value error, ")[:_LONGEST_PROBLEM]
    return f"{where}: {said}" if where else said


async def _in_words(answer: Awaitable[str], runtime: Runtime, tool: str) -> str:
    """Tell the model what went wrong, marked as an error, instead of ending the run.

    A wiring mistake (`ConfigurationError`) is raised, because only its author can mend it.
    """
    try:
        return await answer
    except (ConfigurationError, GraphBubbleUp, ToolException):
        raise
    except (RecordNotFoundError, AmbiguousIdError) as error:
        told = f"{error} Nothing was changed."
        raise ToolException(told) from error
    except MemoryOffError as error:
        raise ToolException(str(error)) from error
    except Exception as error:
        telemetry.record(runtime, telemetry.NodeGaveUp.because(tool, error))
        told = "Memory does not answer right now."
        raise ToolException(told) from error


async def call_tool(
    called: BaseTool, args: Mapping[str, object], store: BaseStore, context: Context
) -> ToolMessage:
    """Call a tool outside a graph; the answer's status says whether it worked."""
    runtime = Runtime(
        state=cast(State, {"messages": []}),
        context=context,
        config={},
        stream_writer=lambda _: None,
        tool_call_id=uuid4().hex,
        store=store,
    )
    call = {
        "type": "tool_call",
        "id": runtime.tool_call_id,
        "name": called.name,
        "args": {**args, _RUNTIME: runtime},
    }
    answer = await called.ainvoke(call)
    assert isinstance(answer, ToolMessage)
    return answer


def schema_of(called: BaseTool) -> dict[str, object]:
    """Return the arguments of a tool as models and clients are told of them."""
    schema = called.tool_call_schema
    assert isinstance(schema, type)
    assert issubclass(schema, BaseModel)
    return schema.model_json_schema()


def _last_message_id(state: object) -> str:
    messages = state.get("messages") if isinstance(state, dict) else None
    return str(messages[-1].id or "") if messages else ""
