"""Scenarios: a conversation, and what memory should hold after it."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast
from uuid import NAMESPACE_URL, uuid5

from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.store.base import BaseStore

from memory_graph import clock
from memory_graph.records import Episode, Fact, RecallFound
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from memory_graph.transfer.jsonl import Moved, everything, read_line

if TYPE_CHECKING:
    from langgraph.pregel import Pregel
    from langgraph_sdk.client import LangGraphClient
    from langgraph_sdk.schema import Config, Input


MONDAY_NOON = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


@dataclass
class MovingClock:
    """The time in a test."""

    at: datetime = MONDAY_NOON

    def move(self, **step: float) -> None:
        """Let time pass: `move(days=1, hours=2)`."""
        self.at += timedelta(**step)

    def standing(self) -> AbstractContextManager[None]:
        """Make this the time for a block and the tasks it starts."""
        return clock.frozen(self.at)


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


@dataclass(frozen=True)
class GraphSurface:
    """A compiled graph in this process: ours, yours with memory, or an agent with middleware."""

    graph: "Pregel[Any, Any, Any, Any]"
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
            parts = self.graph.astream(
                {"messages": [message]},
                config,
                stream_mode=["custom", "values"],
                subgraphs=True,
            )
            async for _, mode, chunk in cast(AsyncIterator[Part], parts):
                if mode == "custom":
                    events.append(chunk)
                elif messages := cast(list[BaseMessage], chunk.get("messages")):
                    reply = str(messages[-1].text)
        return Heard(reply, tuple(events))

    async def memories(self, user: str) -> list[Moved]:
        """Return what the store holds about a user."""
        return await everything(memory_of(Owner(user), self.store))


@dataclass(frozen=True)
class ServerSurface:
    """A graph on a LangGraph server with our HTTP routes. Its clock cannot be moved from here."""

    client: "LangGraphClient"
    assistant: str = "memory_graph"
    also: Callable[[Saying], Mapping[str, object]] = lambda _: {}
    """What else a run is configured with."""

    async def say(self, saying: Saying) -> Heard:
        """Run one turn on the server."""
        await self.client.threads.create(thread_id=saying.thread_id, if_exists="do_nothing")
        config: Config = {"configurable": {**saying.configurable, **self.also(saying)}}
        message = {"role": "user", "content": saying.text, "id": saying.message_id}
        events: list[Event] = []
        reply = ""
        async for part in self.client.runs.stream(
            saying.thread_id,
            self.assistant,
            input=cast("Input", {"messages": [message]}),  # mypy cannot match the SDK's union
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


R = TypeVar("R", Fact, Episode)


@dataclass
class Scenario:
    """A conversation with expectations about memory, on any surface.

    `user_says` runs a turn; each `expect_…` is about the last turn, or about what is
    stored, and fails with an `AssertionError` that shows what there was instead.
    """

    surface: Surface
    user: str = "ana"
    zone: str = "UTC"
    clock: MovingClock = field(default_factory=MovingClock)
    heard: Heard = field(default_factory=lambda: Heard("", ()))
    turns: list[Heard] = field(default_factory=list)

    def wait(self, **step: float) -> None:
        """Let time pass before the next turn: `wait(hours=3)`."""
        self.clock.move(**step)

    async def user_says(
        self,
        text: str,
        *,
        user: str | None = None,
        thread: str = "main",
        message_id: str | None = None,
    ) -> Heard:
        """Run one turn; the same `message_id` again is the same message delivered again."""
        named = message_id or f"message-{len(self.turns) + 1}"
        saying = Saying(text, user or self.user, thread, self.clock.at, named, self.zone)
        self.heard = await self.surface.say(saying)
        self.turns.append(self.heard)
        return self.heard

    async def expect_fact(
        self, fact_id: str, *, value: str | None = None, was: str | None = None
    ) -> Fact:
        """Expect a current fact; with a value, and with the value it had before."""
        facts = {each.id: each for each in await self._of(Fact)}
        assert fact_id in facts, f"No fact {fact_id!r}; there is: {sorted(facts)}"
        fact = facts[fact_id]
        assert fact.valid_to is None, f"{fact_id!r} was retracted at {fact.valid_to}"
        assert value in {None, fact.value}, f"{fact_id!r} is {fact.value!r}, not {value!r}"
        before = fact.history[-1].value if fact.history else None
        assert was in {None, before}, f"{fact_id!r} was {before!r}, not {was!r}"
        return fact

    async def expect_no_fact(self, fact_id: str, *, user: str | None = None) -> None:
        """Expect that no such fact is true now; a retracted fact may exist."""
        current = [each.id for each in await self._of(Fact, user) if each.valid_to is None]
        assert fact_id not in current, f"{fact_id!r} is known"

    async def expect_episodes(self, count: int, *, user: str | None = None) -> list[Episode]:
        """Expect this number of episodes; return them, oldest first."""
        episodes = await self._of(Episode, user)
        titles = [each.title for each in episodes]
        assert len(episodes) == count, f"{len(episodes)} episodes, not {count}: {titles}"
        return episodes

    def expect_event(self, name: str, *, reason: str | None = None) -> Event:
        """Expect an event of the last turn, such as `memory.update` or `episodic.merge`."""
        fitting = [e for e in self.heard.events if e["event"] == name]
        reasons = [each.get("reason") for each in fitting]
        assert fitting, f"No {name!r}; there was: {[e['event'] for e in self.heard.events]}"
        assert reason is None or reason in reasons, f"{name!r} for {reasons}, not {reason!r}"
        return next(e for e in fitting if reason is None or e.get("reason") == reason)

    def expect_skip(self, reason: str) -> Event:
        """Expect that the last turn was not captured, for this reason."""
        return self.expect_event("episodic.skip", reason=reason)

    def expect_recall(self, *found: RecallFound) -> Event:
        """Expect how far memory answers the last turn: `found`, `weak` or `none`."""
        event = self.expect_event("memory.search")
        assert event["found"] in found, f"recall is {event['found']!r}, not one of {found}"
        return event

    def expect_reply(self, *words: str) -> None:
        """Expect words in the last reply."""
        missing = [word for word in words if word not in self.heard.reply]
        assert not missing, f"{missing} not in {self.heard.reply!r}"

    async def _of(self, kind: type[R], user: str | None = None) -> list[R]:
        found = await self.surface.memories(user or self.user)
        return [each for each in found if isinstance(each, kind)]
