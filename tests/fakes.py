"""Stand-ins for the outside world. Each replaces one of our own seams."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.store.base import BaseStore, Op, Result
from langgraph.store.memory import InMemoryStore
from pydantic import Field


@dataclass
class FakeClock:
    """Stands still until it is moved."""

    at: datetime

    def __call__(self) -> datetime:
        return self.at

    def move(self, **step: float) -> None:
        self.at += timedelta(**step)


class BrokenStore(InMemoryStore):
    """A store whose database is down."""

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        raise ConnectionError("store is down")


class HangingStore(InMemoryStore):
    """A store whose database never answers."""

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        await asyncio.sleep(3600)
        raise AssertionError


class FlakyStore(InMemoryStore):
    """A store whose pooled connection was closed behind its back: the first call fails."""

    __slots__ = ("calls",)

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        self.calls += 1
        if self.calls == 1:
            raise ConnectionError("connection closed")
        return await super().abatch(ops)


class CountingModel(BaseChatModel):
    """A chat model that gives scripted answers, and keeps what it was asked."""

    answers: list[object] = Field(default_factory=list)
    """Each a mapping for a structured call, a text for any other, or an error to raise."""

    prompts: list[str] = Field(default_factory=list)
    schemas: list[object] = Field(default_factory=list)

    @property
    def calls(self) -> int:
        return len(self.prompts)

    @property
    def _llm_type(self) -> str:
        return "counting"

    def bind_tools(self, tools, **kwargs):
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools])

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        tools = kwargs.get("tools") or []
        self.prompts.append("\n".join(str(message.text) for message in messages))
        self.schemas.append(tools)
        answer = self.answers.pop(0) if self.answers else "ok"
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Mapping):
            name = tools[0]["function"]["name"]
            call = {"name": name, "args": answer, "id": "c", "type": "tool_call"}
            return _generated(AIMessage("", tool_calls=[call]))
        return _generated(AIMessage(str(answer)))


def _generated(message: AIMessage) -> ChatResult:
    return ChatResult(generations=[ChatGeneration(message=message)])


class RemoteStore(BaseStore):
    """A store of somebody else's, which other processes may write to."""

    def __init__(self) -> None:
        self.kept = InMemoryStore()

    def batch(self, ops):
        return self.kept.batch(ops)

    async def abatch(self, ops):
        await asyncio.sleep(0)  # others get a chance between any two operations
        return await self.kept.abatch(ops)
