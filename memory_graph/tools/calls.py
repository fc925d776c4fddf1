"""What does every memory tool do with its call: who made it, and what is said when it fails?"""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import ParamSpec

from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt import ToolRuntime

from memory_graph import clock, telemetry
from memory_graph.context import Context
from memory_graph.errors import ConfigurationError, NoUserError, RecordNotFoundError
from memory_graph.records import Source
from memory_graph.state import State
from memory_graph.steps.patterns import Change
from memory_graph.storage.labels import stable_id

Runtime = ToolRuntime[Context, State]
Arguments = ParamSpec("Arguments")


def answers_in_words(
    run: Callable[Arguments, Awaitable[str]],
) -> Callable[Arguments, Awaitable[str]]:
    """Make a tool tell the model what went wrong, instead of ending the run.

    A wiring mistake (`ConfigurationError`) is raised, because only its author can mend it.
    """

    @wraps(run)
    async def answering(*args: Arguments.args, **kwargs: Arguments.kwargs) -> str:
        try:
            return await run(*args, **kwargs)
        except (ConfigurationError, GraphBubbleUp):
            raise
        except RecordNotFoundError as error:
            return f"{error} Nothing was changed. Search for it before you try again."
        except NoUserError:
            return "Memory is off: nobody is known whose memory this would be."
        except Exception as error:  # noqa: BLE001 — the promise of this decorator
            _report(kwargs.get("runtime"), run.__name__, error)
            return "Memory does not answer right now. Go on without it, and say so."

    return answering


def change_of(runtime: Runtime, tool: str) -> Change:
    """Return what the ledger keeps of a call that changes memory.

    Some models number their calls anew in every message, so the message counts too.
    """
    configurable = runtime.config.get("configurable") or {}
    thread_id = str(configurable.get("thread_id") or "")
    message_id = _last_message_id(runtime.state)
    return Change(
        id=stable_id(thread_id, message_id, runtime.tool_call_id or ""),
        by=tool,
        at=clock.utc_now(),
        source=Source(thread_id=thread_id or None, message_ids=(message_id,) if message_id else ()),
    )


def _report(runtime: object, tool: str, error: Exception) -> None:
    if isinstance(runtime, ToolRuntime):
        telemetry.record(runtime, telemetry.NodeGaveUp.because(tool, error))


def _last_message_id(state: object) -> str:
    messages = state.get("messages") if isinstance(state, dict) else None
    return str(messages[-1].id or "") if messages else ""
