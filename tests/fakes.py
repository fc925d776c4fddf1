"""Stand-ins for the outside world. Each replaces one of our own seams."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from langgraph.store.base import Op, Result
from langgraph.store.memory import InMemoryStore


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
