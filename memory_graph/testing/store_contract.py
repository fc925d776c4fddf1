"""Checks of what memory needs from a LangGraph store; run them on a store of your own.

    python -m memory_graph.testing.store_contract my_package.stores:open_store

The argument names a function without arguments that returns a `BaseStore` or an (async) context
manager of one, or it is an address as in `MEMORY_GRAPH_STORE`. The checks write as users of their
own and delete what they wrote.
"""

import argparse
import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from typing import Any
from uuid import uuid4

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchOp,
)

from memory_graph.errors import ConfigurationError
from memory_graph.memory import Memory
from memory_graph.store.backends import known_schemes
from memory_graph.store.backends.protocol import EVERYTHING
from memory_graph.store.configured import open_store
from memory_graph.store.gateway import Gateway, with_timeout
from memory_graph.store.index_cache import IndexCache
from memory_graph.store.labels import user_label
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from memory_graph.store.values import warn_once

_WRITERS = 50
_MANY = 240
_LONG = 250_000

_PATIENCE_S = 30.0
"""What a store can do is checked apart from how fast it is: the machine may be busy."""

_LATER_S = 1.5

_ALIKE = ["1", "10", ".b", "_b", "%", "a", "A", "é", "ana", "anabel", "x" * 200]
"""Ends of user ids that stores have taken for one another."""

_SILENT = ["", "nobody", "anabella"]
"""Ends of ids of users who have written nothing."""


class Risk(Enum):
    """What would happen to memory in a store that fails a check."""

    USELESS = "memory would not work"
    LOST = "memories would be lost or changed"
    SEEN = "what one user said would be seen by others"
    KEPT = "what was forgotten would still be there"
    UNLISTED = "maintenance for all users would miss some or never end"


class Broken(Exception):
    """What a store must do does not hold."""

    def __init__(self, problem: str, risk: Risk) -> None:
        super().__init__(problem)
        self.risk = risk


@dataclass(frozen=True)
class Checked:
    """One check on a store: what must hold, and what went wrong if it does not."""

    name: str
    problem: str | None = None
    risk: Risk | None = None


class _Unchecked(Gateway):
    """The gateway, and what the store answers before items of other users are dropped."""

    async def answers(self, ops: Sequence[Op]) -> list[Result]:
        return await self._run(ops, self.scan_timeout_s)


@dataclass(frozen=True)
class Bench:
    """A store under test, and a user of this run alone."""

    store: BaseStore
    user: str

    @property
    def gateway(self) -> _Unchecked:
        """The store as the package reads and writes it."""
        return _Unchecked(self.store, _PATIENCE_S, _PATIENCE_S, _PATIENCE_S)

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

    async def holds(self, key: str, value: dict[str, Any]) -> None:
        """Expect a value to be read and listed as it was written."""
        listed = [item for item in await self.gateway.scan(self.namespace()) if item.key == key]
        for way, found in [
            ("read by its key", await self.read(key)),
            ("in the list", listed[0].value if listed else None),
        ]:
            difference = _difference(value, found)
            _expect(not difference, f"{way}: {difference}", Risk.LOST)

    async def counts(self, expected: int) -> None:
        """Expect a list to have so many values."""
        found = len(await self.gateway.scan(self.namespace()))
        _expect(
            found == expected, f"wrote {expected} values, the list has {found} of them", Risk.LOST
        )

    async def shows_nobody_else(self, user: str, keys: Sequence[str]) -> None:
        """Expect no list of a user, and no read by these keys, to hold what others wrote."""
        here = self.namespace(user)
        gets: list[Op] = [GetOp(here, key, refresh_ttl=False) for key in keys]
        lists: list[Op] = [
            SearchOp(here, filter=where, limit=EVERYTHING, refresh_ttl=False)
            for where in (None, {"category": "home"})
        ]
        found = await self.gateway.answers(gets)
        asked = [("a read by key", found)]
        asked += [("a list", _items(each)) for each in await self.gateway.answers(lists)]
        for way, answer in asked:
            for item in answer:
                foreign = _foreign(item, here, user)
                _expect(
                    not foreign, f"asked as user {_brief(user)}, {way} gave {foreign}", Risk.SEEN
                )


def _foreign(item: object, namespace: tuple[str, ...], user: str) -> str:
    """Return in words why an item is not of this user; empty if it is."""
    if not isinstance(item, Item):
        return ""
    if item.value.get("of") != user:
        return f"what user {_brief(item.value.get('of'))} wrote under {_brief(item.key)}"
    if tuple(item.namespace) != namespace:
        return f"an item of another namespace, {_brief('/'.join(item.namespace[1:]))}"
    return ""


def _expect(holds: bool, problem: str, risk: Risk) -> None:
    if not holds:
        raise Broken(problem, risk)


def _items(found: Result) -> list[Any]:
    return found if isinstance(found, list) else []


def _difference(expected: dict[str, Any], found: object) -> str:
    """Return in words how what came back differs; empty if it does not."""
    if not isinstance(found, dict):
        return f"expected {_brief(expected)}, got {'nothing' if found is None else _brief(found)}"
    for name in {**expected, **found}:
        if name not in found:
            return f"the field `{name}` ({_brief(expected[name])}) is missing"
        if name not in expected:
            return f"the field `{name}` ({_brief(found[name])}) was never written"
        if _as_json(expected[name]) != _as_json(found[name]):
            return f"`{name}`: expected {_brief(expected[name])}, got {_brief(found[name])}"
    return ""


def _as_json(value: object) -> str:
    """Return a value so that 1 is not `True`; the order of fields is of no account."""
    return json.dumps(value, sort_keys=True, default=repr)


def _brief(value: object) -> str:
    if isinstance(value, str) and len(value) > 60:
        return f"{value[:20]!r}… ({len(value):,} characters)"
    told = repr(value)
    return told if len(told) <= 160 else f"{told[:160]}…"


Check = Callable[[Bench], Awaitable[None]]


async def every_operation_is_there(bench: Bench) -> None:
    """The store offers every operation that memory uses."""
    here, below = bench.namespace(), MatchCondition("prefix", ("memories",))
    operations: dict[str, Op] = {
        "write (PutOp)": PutOp(here, "k", {"n": 1}, index=False),
        "read by key (GetOp)": GetOp(here, "k", refresh_ttl=False),
        "list (SearchOp)": SearchOp(here, limit=10, refresh_ttl=False),
        "list by an equal field (SearchOp with filter)": SearchOp(
            here, filter={"n": 1}, limit=10, refresh_ttl=False
        ),
        "list namespaces (ListNamespacesOp)": ListNamespacesOp((below,), max_depth=2, limit=10),
        "delete (PutOp of None)": PutOp(here, "k", None),
    }
    missing = {}
    for name, op in operations.items():
        try:
            await bench.gateway.answers([op])
        except Exception as error:  # noqa: BLE001 — whatever a store raises is the finding
            missing[name] = _raised(error)
    causes = "; ".join(sorted({*missing.values()}))
    _expect(
        len(missing) < len(operations),
        f"missing: the asynchronous interface (`abatch`): no operation works; {causes}",
        Risk.USELESS,
    )
    _expect(not missing, f"missing: {', '.join(missing)}; {causes}", Risk.USELESS)


async def a_value_is_read_back_at_once(bench: Bench) -> None:
    """A value that was written is read at once, as it was written."""
    text = "NUL � emoji 👩‍👩‍👧 rtl \u202e ok"
    key = "profile:pet:luna:age"
    for value in ({"text": text, "n": 1, "deep": {"list": [1, 2.5, None, True]}}, {"n": 2}):
        await bench.put(key, value)
        await bench.holds(key, value)


async def values_come_back_whole(bench: Bench) -> None:
    """Long texts, empty fields and exact numbers come back as they were written."""
    long = "".join(f"{n} naïve 👩 " for n in range(_LONG // 8))
    values: dict[str, dict[str, Any]] = {
        "message": {"text": long[:4000]},
        "ledger": {"text": long[:_LONG], "list": [long[: _LONG // 10]]},
        "empty": {"none": None, "text": "", "list": [], "deep": {"none": None, "list": [None]}},
        "numbers": {"third": 1 / 3, "time": 1763503754.123456, "small": 1.5e-9, "big": 2**40 + 1},
        "vector": {"vector": [1 / n for n in range(1, 513)], "yes": True, "one": 1},
    }
    for key, value in values.items():
        await bench.put(key, value)
    for key, value in values.items():
        await bench.holds(key, value)


async def values_stay(bench: Bench) -> None:
    """What was written without a time to live is still there later."""
    for n in range(3):
        await bench.put(f"k{n}", {"n": n})
    await asyncio.sleep(_LATER_S)
    found = {item.key for item in await bench.gateway.scan(bench.namespace())}
    read = {item.key for item in await bench.gateway.get(bench.namespace(), ["k0", "k1", "k2"])}
    there = len(found & read)
    problem = f"of 3 values written {_LATER_S:g} s before, {there} are still listed and read"
    _expect(there == 3, problem, Risk.LOST)


async def a_deleted_value_is_gone(bench: Bench) -> None:
    """A deleted value is neither read nor listed."""
    await bench.put("k", {"n": 1})
    await bench.put("k", None)
    _expect(await bench.read("k") is None, "after it was deleted, it was still read", Risk.KEPT)
    listed = await bench.gateway.scan(bench.namespace())
    _expect(not listed, "after it was deleted, it was still listed", Risk.KEPT)


async def users_never_meet(bench: Bench) -> None:
    """Users whose ids are alike, or who wrote nothing, see only their own values."""
    for user in _ALIKE:
        value = {"of": user, "category": "home"}
        await bench.gateway.write(
            [
                PutOp(bench.namespace(user), key, value, index=False)
                for key in ("k", f"key of {user}")
            ]
            + [PutOp(bench.namespace(user, "factsheet"), "other kind", value, index=False)]
        )
    keys = ["k", "never written", "other kind", *(f"key of {user}" for user in _ALIKE)]
    for user in [*_ALIKE, *_SILENT]:
        await bench.shows_nobody_else(user, keys)
    for user in _ALIKE:
        found = {item.key for item in await bench.gateway.scan(bench.namespace(user))}
        problem = f"user {_brief(user)} wrote 2 values, the list has {len(found)}"
        _expect(found == {"k", f"key of {user}"}, problem, Risk.LOST)


async def recall_tells_nobody_elses(bench: Bench) -> None:
    """What a user said is recalled for them, and for nobody else."""
    question = "What is my daughter called?"
    async with (
        Memory(bench.store, user_id=bench.user + "ana") as ana,
        Memory(bench.store, user_id=bench.user + "ben") as ben,
    ):
        await ana.aadd("My daughter is called Zebedea.")
        for said in (None, "I live in Lisbon."):
            if said:
                await ben.aadd(said)
            told = (await ben.arecall(question)).block
            known = " ".join(str(fact.value) for fact in await ben.afacts())
            _expect(
                "Zebedea" not in told + known,
                f"ana said that her daughter is called Zebedea; asked as ben, who said "
                f"{_brief(said) if said else 'nothing'}, memory told it",
                Risk.SEEN,
            )
        told = (await ana.arecall(question)).block
        _expect("Zebedea" in told, "what ana said was not recalled for ana", Risk.LOST)


async def one_batch_reads_and_writes_much(bench: Bench) -> None:
    """More than a page of values comes back from one listing and one read."""
    keys = [f"k{n}" for n in range(_MANY)]
    puts = [PutOp(bench.namespace(), key, {"key": key}, index=False) for key in keys]
    await bench.gateway.write(puts)
    await bench.counts(_MANY)
    found = {item.key for item in await bench.gateway.get(bench.namespace(), keys)}
    _expect(found == {*keys}, f"read {_MANY} keys at once, {len(found)} were found", Risk.LOST)


async def equal_values_are_found(bench: Bench) -> None:
    """A listing can be narrowed by a top-level field that equals a value."""
    for n in range(3):
        await bench.put(f"k{n}", {"category": "home" if n else "work", "n": n})
    found = await bench.gateway.scan(bench.namespace(), where={"category": "home"})
    keys = sorted(item.key for item in found)
    _expect(keys == ["k1", "k2"], f"expected k1 and k2, got {keys or 'nothing'}", Risk.LOST)


async def writers_at_once_lose_nothing(bench: Bench) -> None:
    """Fifty writers of different keys at the same time lose nothing."""
    await asyncio.gather(*(bench.put(f"k{n}", {"n": n}) for n in range(_WRITERS)))
    await bench.counts(_WRITERS)


async def users_are_listed(bench: Bench) -> None:
    """The users who have memories can be listed: maintenance for all of them needs it."""
    await bench.put("k", {"n": 1})
    found: list[tuple[str, ...]] = []
    page: list[tuple[str, ...]] = []
    while following := await bench.gateway.namespaces(
        ("memories",), depth=2, limit=100, offset=len(found)
    ):
        problem = f"the list of namespaces ignores `offset`: {len(found)} gave the same page again"
        _expect(following != page, problem, Risk.UNLISTED)
        page = following
        found += page
    problem = f"a user who wrote something is not among the {len(found)} listed"
    _expect(bench.namespace()[:2] in found, problem, Risk.UNLISTED)


async def a_fact_is_kept_corrected_and_recalled(bench: Bench) -> None:
    """A fact that is told is kept; a correction replaces it; a question finds it."""
    async with Memory(bench.store, user_id=bench.user) as memory:
        await memory.aadd("My cat Luna is 3.")
        await memory.aadd("Luna turned 4 yesterday!")
        values = [fact.value for fact in await memory.afacts()]
        _expect(values == ["4"], f"expected the age 4, got {values or 'nothing'}", Risk.LOST)
        ages = [version.value for version in await memory.ahistory("profile:pet:luna:age")]
        _expect(ages == ["3", "4"], f"expected the history 3, 4, got {ages}", Risk.LOST)
        recalled = await memory.arecall("How old is Luna?")
    problem = f"expected to recall the age 4, got {_brief(recalled.block) or 'nothing'}"
    _expect(recalled.found == "found" and "4" in recalled.block, problem, Risk.LOST)


async def another_process_sees_a_change(bench: Bench) -> None:
    """What one process writes, deletes or corrects, the index of another follows."""
    here, there = (memory_of(Owner(bench.user), bench.store) for _ in range(2))
    object.__setattr__(there.scope, "indexes", IndexCache(1000))
    async with Memory(bench.store, user_id=bench.user) as memory:
        for number, said in enumerate(("I live in Lisbon.", "My cat Luna is 3."), 1):
            await memory.aadd(said)
            seen = len(await there.facts.similar("city", 5))
            problem = f"one process wrote {number} facts, another sees {seen}"
            _expect(seen == number, problem, Risk.LOST)
        await memory.aforget("profile:city")
    found = [fact.id for fact, _ in await there.facts.similar("city", 5)]
    _expect("profile:city" not in found, "another process still sees a forgotten fact", Risk.KEPT)
    same = found == [fact.id for fact, _ in await here.facts.similar("city", 5)]
    _expect(same, "two processes see different facts of one user", Risk.LOST)


async def everything_can_be_forgotten(bench: Bench) -> None:
    """After everything was forgotten, no value of the user holds a word of theirs."""
    async with Memory(bench.store, user_id=bench.user) as memory:
        await memory.aadd("My daughter is called Zebedea, and we decided to move to Braga.")
        _expect(bool(await memory.afacts()), "no fact was kept", Risk.LOST)
        await memory.aforget_everything()
        _expect(not await memory.afacts(), "facts are still there", Risk.KEPT)
    root = bench.namespace()[:2]
    kinds = await bench.gateway.namespaces(root, depth=3, limit=EVERYTHING)
    for kind in kinds:
        left = [str(item.value) for item in await bench.gateway.scan(kind) if kind[:2] == root]
        held = any("Zebedea" in value or "Braga" in value for value in left)
        _expect(not held, f"the namespace {_brief(kind)} still holds their words", Risk.KEPT)


CHECKS: Sequence[Check] = (
    every_operation_is_there,
    a_value_is_read_back_at_once,
    values_come_back_whole,
    values_stay,
    a_deleted_value_is_gone,
    users_never_meet,
    recall_tells_nobody_elses,
    one_batch_reads_and_writes_much,
    equal_values_are_found,
    writers_at_once_lose_nothing,
    users_are_listed,
    a_fact_is_kept_corrected_and_recalled,
    another_process_sees_a_change,
    everything_can_be_forgotten,
)


async def certify(store: BaseStore) -> list[Checked]:
    """Run every check on a store, each as a user of its own; delete what they wrote."""
    return [each async for each in certified_one_by_one(store)]


async def certified_one_by_one(store: BaseStore) -> AsyncIterator[Checked]:
    """Run every check on a store, and yield each result as soon as it is known."""
    for check in CHECKS:
        bench = Bench(store, f"contract-{uuid4().hex}-")
        problem, risk = await _found(check, bench)
        yield Checked((check.__doc__ or check.__name__).strip(), problem, risk)


async def _found(check: Check, bench: Bench) -> tuple[str | None, Risk | None]:
    """Return what is wrong with a store, and the risk of it, after cleaning up."""
    try:
        await with_timeout(_PATIENCE_S, asyncio.ensure_future(check(bench)))
    except Broken as error:
        return str(error), error.risk
    except TimeoutError:
        return f"the check was not done after {_PATIENCE_S:g} s", Risk.USELESS
    except Exception as error:  # noqa: BLE001 — whatever a store raises is the finding
        return _raised(error), Risk.USELESS
    finally:
        await _clean_up(bench)
    return None, None


def _raised(error: Exception) -> str:
    told = " ".join(str(error).split())
    return f"{type(error).__name__} was raised" + (f": {told[:200]}" if told else "")


async def _clean_up(bench: Bench) -> None:
    try:
        await with_timeout(_PATIENCE_S, asyncio.ensure_future(_delete_all(bench)))
    except Exception as error:  # noqa: BLE001 — the check has said what the store cannot do
        warn_once(f"What a check wrote was not deleted: {_raised(error)}")


async def _delete_all(bench: Bench) -> None:
    found = await bench.gateway.namespaces(("memories",), depth=3, limit=EVERYTHING)
    for namespace in found:
        if namespace[1].startswith(user_label(bench.user)[:40]):
            items = await bench.gateway.scan(namespace)
            await bench.gateway.write([PutOp(namespace, item.key, None) for item in items])


async def _open(name: str, stack: contextlib.AsyncExitStack) -> BaseStore:
    """Open the store that a name stands for, until the stack is left."""
    module, _, function = name.partition(":")
    if module in known_schemes():
        return await stack.enter_async_context(open_store(name))
    sys.path.insert(0, os.getcwd())
    try:
        opener = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigurationError(f"{name!r} names no function of a module: {error}") from error
    opened = opener()
    if isinstance(opened, contextlib.AbstractAsyncContextManager):
        opened = await stack.enter_async_context(opened)
    elif isinstance(opened, contextlib.AbstractContextManager):
        opened = stack.enter_context(opened)
    if not isinstance(opened, BaseStore):
        raise ConfigurationError(f"{name!r} returned {type(opened).__name__}, not a BaseStore.")
    return opened


async def _main(name: str) -> int:
    async with contextlib.AsyncExitStack() as stack:
        try:
            store = await _open(name, stack)
        except ConfigurationError:
            raise
        except Exception as error:
            problem = f"{name!r} could not be opened: {_raised(error)}"
            raise ConfigurationError(problem) from error
        checked = []
        async for each in certified_one_by_one(store):
            checked.append(each)
            problem = f"\n        {each.problem}" if each.problem else ""
            verdict = "FAILED" if each.problem else "ok    "
            print(f"{verdict}  {each.name}{problem}", flush=True)  # noqa: T201
    failed = [each for each in checked if each.problem]
    print(f"{len(checked) - len(failed)} passed, {len(failed)} failed")  # noqa: T201
    if failed:
        print(_advice(failed))  # noqa: T201
    return 1 if failed else 0


def _advice(failed: Sequence[Checked]) -> str:
    """Return the line that says what would happen to memory in such a store."""
    risks = [risk.value for risk in Risk if any(each.risk is risk for each in failed)]
    return f"Do not keep memory in this store: {'; '.join(risks)}."


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
