"""Where does a scenario talk to an agent, and where does it read what is remembered?"""

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol
from uuid import NAMESPACE_URL, uuid5

from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.store.base import BaseStore

from memory_graph import clock
from memory_graph.steps.transfer import Moved, everything, read_line
from memory_graph.storage.scope import Owner, memory_of

if TYPE_CHECKING:
    from langgraph_sdk.client import LangGraphClient
    from langgraph_sdk.schema import Config, _JSONMap

Event = Mapping[str, object]
Part = tuple[tuple[str, ...], str, Mapping[str, object]]


@dataclass(frozen=True)
class Saying:
    """Something a user says at one moment."""

    text: str
    user: str
    thread: str
    at: datetime
    message_id: str
    zone: str = "UTC"

    @property
    def thread_id(self) -> str:
        """The thread's id, in the form servers want; the same on every surface."""
        return str(uuid5(NAMESPACE_URL, f"{self.user}/{self.thread}"))

    @property
    def configurable(self) -> dict[str, object]:
        """Whose turn it is, as every surface understands it."""
        return {"user_id": self.user, "user_context": {"locale_info": {"time_zone": self.zone}}}


@dataclass(frozen=True)
class Heard:
    """What came back: the reply, and the memory events of the turn."""

    reply: str
    events: tuple[Event, ...]


class Surface(Protocol):
    """One way to talk to an agent with memory."""

    async def say(self, saying: Saying) -> Heard:
        """Run one turn."""
        ...

    async def memories(self, user: str) -> list[Moved]:
        """Return everything remembered about a user."""
        ...


class Streaming(Protocol):
    """What a scenario needs of a compiled graph."""

    def astream(
        self,
        input: object,
        config: RunnableConfig,
        *,
        stream_mode: Sequence[str],
        subgraphs: bool,
    ) -> AsyncIterator[Part]:
        """Run the graph and yield what happens, with the namespace and the mode."""
        ...


@dataclass(frozen=True)
class GraphSurface:
    """A compiled graph in this process: ours, yours with memory, or an agent with middleware."""

    graph: Streaming
    store: BaseStore

    async def say(self, saying: Saying) -> Heard:
        """Run one turn at the time it is said."""
        config: RunnableConfig = {
            "configurable": {**saying.configurable, "thread_id": saying.thread_id}
        }
        message = HumanMessage(saying.text, id=saying.message_id)
        events: list[Event] = []
        reply = ""
        with clock.frozen(saying.at):
            async for _, mode, chunk in self.graph.astream(
                {"messages": [message]},
                config,
                stream_mode=["custom", "values"],
                subgraphs=True,
            ):
                if mode == "custom":
                    events.append(chunk)
                else:
                    reply = _last_text(chunk)
        return Heard(reply, tuple(events))

    async def memories(self, user: str) -> list[Moved]:
        """Return what the store holds about a user."""
        return await everything(memory_of(Owner(user), self.store))


def _last_text(state: Mapping[str, object]) -> str:
    messages = state.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else None
    return str(last.text) if isinstance(last, BaseMessage) else ""


def _nothing(_: Saying) -> Mapping[str, object]:
    return {}


@dataclass(frozen=True)
class ServerSurface:
    """A graph on a LangGraph server with our HTTP routes. Its clock cannot be moved from here."""

    client: "LangGraphClient"
    assistant: str = "memory_graph"
    also: Callable[[Saying], Mapping[str, object]] = field(default=_nothing)
    """What else a run is configured with."""

    async def say(self, saying: Saying) -> Heard:
        """Run one turn on the server."""
        await self.client.threads.create(thread_id=saying.thread_id, if_exists="do_nothing")
        config: Config = {"configurable": {**saying.configurable, **self.also(saying)}}
        events: list[Event] = []
        reply = ""
        async for part in self.client.runs.stream(
            saying.thread_id,
            self.assistant,
            input={"messages": [_as_json(saying)]},
            config=config,
            stream_mode=["custom", "values"],
        ):
            if part.event == "error":
                raise AssertionError(f"The run failed: {part.data}")
            if part.event == "custom":
                events.append(part.data)
            elif part.event == "values":
                reply = str(part.data["messages"][-1]["content"])
        return Heard(reply, tuple(events))

    async def memories(self, user: str) -> list[Moved]:
        """Return what the server's own route lists for a user."""
        listed = await self.client.http.get("/memory", params={"user": user})
        return [read_line(json.dumps(each)) for each in listed["memories"]]


def _as_json(saying: Saying) -> "_JSONMap":
    return {"role": "user", "content": saying.text, "id": saying.message_id}
