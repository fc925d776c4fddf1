"""Checks of what memory needs from a LangGraph store; run them on a store of your own.

    python -m memory_graph.testing.store_contract my_package.stores:open_store

The argument names a function without arguments that returns a `BaseStore` or an (async) context
manager of one, or it is an address as in `MEMORY_GRAPH_STORE`. The checks write as users of their
own and delete what they wrote.
"""

import argparse
import asyncio
import contextlib
import os
import sys
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from inspect import iscoroutinefunction
from typing import Any
from uuid import uuid4

from langgraph.store.base import BaseStore, PutOp

from memory_graph.errors import ConfigurationError
from memory_graph.memory import Memory
from memory_graph.store.backends import known_schemes
from memory_graph.store.configured import open_store
from memory_graph.store.freshness import IndexCache
from memory_graph.store.gateway import Gateway
from memory_graph.store.scope import Owner, memory_of, user_label

_WRITERS = 50
_MANY = 240

_PATIENCE_S = 30.0
"""What a store can do is checked apart from how fast it is: the machine may be busy."""


@dataclass(frozen=True)
class Checked:
    """One check on a store: what must hold, and what went wrong if it does not."""

    name: str
    problem: str | None = None


@dataclass(frozen=True)
class Bench:
    """A store under test, and a user of this run alone."""

    store: BaseStore
    user: str

    @property
    def gateway(self) -> Gateway:
        """The store as the package reads and writes it."""
        return Gateway(self.store, _PATIENCE_S, _PATIENCE_S, _PATIENCE_S)

    def namespace(self, user: str = "", kind: str = "facts") -> tuple[str, str, str]:
        """Return where memories of a kind are kept."""
        return ("memories", user_label(self.user + user), kind)

    async def put(self, key: str, value: dict[str, Any] | None, user: str = "") -> None:
        """Write one value."""
        await self.gateway.write([PutOp(self.namespace(user), key, value, index=False)])

    async def read(self, key: str, user: str = "") -> dict[str, Any] | None:
        """Read one value."""
        found = await self.gateway.get(self.namespace(user), [key])
        return found[0].value if found else None


Check = Callable[[Bench], Awaitable[None]]


async def a_value_is_read_back_at_once(bench: Bench) -> None:
    """A value that was written is read at once, as it was written."""
    text = "NUL � emoji 👩‍👩‍👧 rtl \u202e ok"
    value = {"text": text, "n": 1, "deep": {"list": [1, 2.5, None, True]}}
    await bench.put("profile:pet:luna:age", value)
    assert await bench.read("profile:pet:luna:age") == value
    await bench.put("profile:pet:luna:age", {"n": 2})
    assert await bench.read("profile:pet:luna:age") == {"n": 2}


async def a_deleted_value_is_gone(bench: Bench) -> None:
    """A deleted value is neither read nor listed."""
    await bench.put("k", {"n": 1})
    await bench.put("k", None)
    assert await bench.read("k") is None
    assert await bench.gateway.scan(bench.namespace()) == []


async def users_never_meet(bench: Bench) -> None:
    """Users whose ids are alike see only their own values."""
    others = ["1", "10", ".b", "_b", "%", "a", "A", "é", "x" * 200]
    for user in others:
        await bench.put("k", {"of": user}, user)
    for user in others:
        found = await bench.gateway.scan(bench.namespace(user))
        assert [item.value for item in found] == [{"of": user}], user


async def one_batch_reads_and_writes_much(bench: Bench) -> None:
    """More than a page of values comes back from one listing and one read."""
    puts = [PutOp(bench.namespace(), f"k{n}", {"n": n}, index=False) for n in range(_MANY)]
    await bench.gateway.write(puts)
    assert len(await bench.gateway.scan(bench.namespace())) == _MANY
    keys = [f"k{n}" for n in range(_MANY)]
    assert {item.key for item in await bench.gateway.get(bench.namespace(), keys)} == {*keys}


async def equal_values_are_found(bench: Bench) -> None:
    """A listing can be narrowed by a top-level field that equals a value."""
    for n in range(3):
        await bench.put(f"k{n}", {"category": "home" if n else "work", "n": n})
    found = await bench.gateway.scan(bench.namespace(), where={"category": "home"})
    assert sorted(item.value["n"] for item in found) == [1, 2]


async def writers_at_once_lose_nothing(bench: Bench) -> None:
    """Fifty writers of different keys at the same time lose nothing."""
    await asyncio.gather(*(bench.put(f"k{n}", {"n": n}) for n in range(_WRITERS)))
    assert len(await bench.gateway.scan(bench.namespace())) == _WRITERS


async def users_are_listed(bench: Bench) -> None:
    """The users who have memories can be listed: maintenance for all of them needs it."""
    await bench.put("k", {"n": 1})
    found: list[tuple[str, ...]] = []
    while page := await bench.gateway.namespaces(
        ("memories",), depth=2, limit=100, offset=len(found)
    ):
        found += page
    assert bench.namespace()[:2] in found


async def a_fact_is_kept_corrected_and_recalled(bench: Bench) -> None:
    """A fact that is told is kept; a correction replaces it; a question finds it."""
    async with Memory(bench.store, user_id=bench.user) as memory:
        await memory.aadd("My cat Luna is 3.")
        await memory.aadd("Luna turned 4 yesterday!")
        assert [fact.value for fact in await memory.afacts()] == ["4"]
        history = await memory.ahistory("profile:pet:luna:age")
        assert [version.value for version in history] == ["3", "4"]
        recalled = await memory.arecall("How old is Luna?")
    assert recalled.found == "found"
    assert "4" in recalled.block


async def another_process_sees_a_change(bench: Bench) -> None:
    """What one process writes, deletes or corrects, the index of another follows."""
    here, there = (memory_of(Owner(bench.user), bench.store) for _ in range(2))
    object.__setattr__(there.scope, "indexes", IndexCache(1000))
    async with Memory(bench.store, user_id=bench.user) as memory:
        await memory.aadd("I live in Lisbon.")
        assert len(await there.facts.similar("city", 5)) == 1
        await memory.aadd("My cat Luna is 3.")
        assert len(await there.facts.similar("city", 5)) == 2
        await memory.aforget("profile:city")
    found = [fact.id for fact, _ in await there.facts.similar("city", 5)]
    assert found == [fact.id for fact, _ in await here.facts.similar("city", 5)]
    assert "profile:city" not in found


async def everything_can_be_forgotten(bench: Bench) -> None:
    """After everything was forgotten, no value of the user holds a word of theirs."""
    async with Memory(bench.store, user_id=bench.user) as memory:
        await memory.aadd("My daughter is called Zebedea, and we decided to move to Braga.")
        assert await memory.afacts()
        await memory.aforget_everything()
        assert not await memory.afacts()
    kinds = await bench.gateway.namespaces(bench.namespace()[:2], depth=3, limit=100)
    left = [str(item.value) for each in kinds for item in await bench.gateway.scan(each)]
    assert not any("Zebedea" in value or "Braga" in value for value in left)


CHECKS: list[Check] = [each for each in globals().values() if iscoroutinefunction(each)]
"""Every check, in the order above."""


async def certify(store: BaseStore) -> list[Checked]:
    """Run every check on a store, each as a user of its own; delete what they wrote."""
    checked = []
    for check in CHECKS:
        bench, problem = Bench(store, f"contract-{uuid4().hex}-"), None
        try:
            await check(bench)
        except Exception as error:  # noqa: BLE001 — whatever a store raises is the finding
            problem = _said_by(error)
        finally:
            await _clean_up(bench)
        checked.append(Checked((check.__doc__ or check.__name__).strip(), problem))
    return checked


def _said_by(error: Exception) -> str:
    """Return what went wrong: a failed check says little, the line it stands in says what it is."""
    [*_, last] = traceback.extract_tb(error.__traceback__)
    told = f" ({error})" if str(error) else ""
    if isinstance(error, AssertionError):
        return f"does not hold: {(last.line or '').removeprefix('assert ')}{told}"
    return f"{type(error).__name__}{told}"


async def _clean_up(bench: Bench) -> None:
    try:
        found = await bench.gateway.namespaces(("memories",), depth=3, limit=100_000)
        for namespace in found:
            if namespace[1].startswith(user_label(bench.user)[:40]):
                items = await bench.gateway.scan(namespace)
                await bench.gateway.write([PutOp(namespace, item.key, None) for item in items])
    except Exception as error:  # noqa: BLE001 — the check has said what the store cannot do
        sys.stderr.write(f"What a check wrote was not deleted: {error}\n")


@contextlib.asynccontextmanager
async def _opened(name: str) -> AsyncIterator[BaseStore]:
    """Open the store that a name stands for."""
    module, _, function = name.partition(":")
    if module in known_schemes():
        async with open_store(name) as store:
            yield store
        return
    sys.path.insert(0, os.getcwd())
    try:
        opened = getattr(import_module(module), function)()
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigurationError(f"{name!r} names no function of a module: {error}") from error
    async with contextlib.AsyncExitStack() as stack:
        if isinstance(opened, contextlib.AbstractAsyncContextManager):
            opened = await stack.enter_async_context(opened)
        elif isinstance(opened, contextlib.AbstractContextManager):
            opened = stack.enter_context(opened)
        if not isinstance(opened, BaseStore):
            raise ConfigurationError(f"{name!r} returned {type(opened).__name__}, not a BaseStore.")
        yield opened


async def _main(name: str) -> int:
    async with _opened(name) as store:
        checked = await certify(store)
    failed = sum(bool(each.problem) for each in checked)
    for each in checked:
        problem = f"\n        {each.problem}" if each.problem else ""
        print(f"{'FAILED' if each.problem else 'ok    '}  {each.name}{problem}")  # noqa: T201
    print(f"{len(checked) - failed} passed, {failed} failed")  # noqa: T201
    if failed:
        print("Do not keep memory in this store: it would be lost, or seen by others.")  # noqa: T201
    return 1 if failed else 0


def main() -> int:
    """Run the checks on the store that the command line names."""
    parser = argparse.ArgumentParser(description="Check whether a store can keep memory.")
    parser.add_argument("store", help="module:function, or an address such as sqlite:PATH")
    try:
        return asyncio.run(_main(parser.parse_args().store))
    except ConfigurationError as error:
        sys.stderr.write(f"{error}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main())
