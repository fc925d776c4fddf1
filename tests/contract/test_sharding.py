"""Users on several stores: they stay apart, and lose nothing when they move while they talk."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import timedelta

import pytest
from langgraph.store.base import ListNamespacesOp, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from memory_graph.embedding import Embedder
from memory_graph.errors import ConfigurationError
from memory_graph.store.backends import open_store, sharded
from memory_graph.store.backends.sharded import ShardedStore, move_users, spread, users_of
from memory_graph.store.scope import Owner, memory_of, user_label
from tests.examples import NOON, a_fact

ANA = user_label("ana")
SOON_S = 0.4


@pytest.fixture(autouse=True)
def quick_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharded, "FRESHNESS_S", 0.05)


@pytest.fixture
async def workers(sharded_url: str, embedder: Embedder) -> AsyncIterator[list[ShardedStore]]:
    """Two workers with connections of their own to the same shards."""
    async with AsyncExitStack() as stack:
        opened = [
            (await stack.enter_async_context(open_store(sharded_url, embedder))).store
            for _ in range(2)
        ]
        yield [store for store in opened if isinstance(store, ShardedStore)]


async def save(store: ShardedStore, number: int) -> str:
    memory = memory_of(Owner("ana"), store)
    fact = a_fact(f"other:{number}", f"Fact number {number}.")
    at = NOON + timedelta(seconds=number)
    await memory.commit(await memory.facts.puts([fact], at))
    return fact.id


async def held(store: ShardedStore, name: str) -> int:
    [items] = await store.shards[name].abatch([SearchOp(("memories", ANA), limit=1000)])
    return len(items)


def other_shard(store: ShardedStore) -> str:
    return next(name for name in store.shards if name != store.home_of(ANA))


async def test_a_user_who_moves_while_two_workers_write_loses_nothing(
    workers: list[ShardedStore],
) -> None:
    one, other = workers
    old, new = one.home_of(ANA), other_shard(one)
    saved = [await save(one, number) for number in range(20)]
    is_moving = True

    async def talk(store: ShardedStore, first: int) -> None:
        number = first
        while is_moving:
            saved.append(await save(store, number))
            number += 2
            await asyncio.sleep(0.01)

    talking = [asyncio.create_task(talk(one, 100)), asyncio.create_task(talk(other, 101))]
    assert await move_users(one, {ANA: new}, SOON_S) == 1
    is_moving = False
    await asyncio.gather(*talking)

    for worker in workers:
        assert {fact.id for fact in await memory_of(Owner("ana"), worker).facts.all()} == {*saved}
        assert worker.known_place(ANA).at == new
    assert await held(one, old) == 0
    assert len(saved) > 24


async def test_a_process_that_starts_after_a_move_searches_the_new_shard() -> None:
    shards = {"a": InMemoryStore(), "b": InMemoryStore()}
    store = ShardedStore(shards)
    await save(store, 1)
    new = other_shard(store)
    await move_users(store, {ANA: new}, SOON_S)

    started = ShardedStore(shards)

    assert await sharded._shard_of(started, ("memories", ANA, "facts")) is shards[new]


async def test_a_move_that_was_broken_off_is_taken_up(
    workers: list[ShardedStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = workers[0]
    old, new = store.home_of(ANA), other_shard(store)
    saved = {await save(store, number) for number in range(3)}

    async def dies(*_: object) -> None:
        raise ConnectionError

    with monkeypatch.context() as broken:
        broken.setattr(sharded, "_bring_along", dies)
        with pytest.raises(ConnectionError):
            await move_users(store, {ANA: new}, SOON_S)
    with monkeypatch.context() as broken:
        broken.setattr(sharded, "_fill", dies)
        with pytest.raises(ConnectionError):
            await move_users(store, {ANA: old}, SOON_S)
    saved.add(await save(store, 7))
    assert await move_users(store, {ANA: old}, SOON_S) == 1

    assert {fact.id for fact in await memory_of(Owner("ana"), store).facts.all()} == saved
    assert await held(store, new) == 0


async def test_what_a_new_shard_takes_over_is_moved_and_strays_come_along(
    embedder: Embedder,
) -> None:
    full, empty = InMemoryStore(), InMemoryStore()
    before = ShardedStore({"a": full})
    people = [f"user-{number}" for number in range(12)]
    for person in people:
        memory = memory_of(Owner(person), before)
        await memory.commit(await memory.facts.puts([a_fact()], NOON))
    grown = ShardedStore({"a": full, "b": empty})
    stray = next(each for each in people if grown.home_of(user_label(each)) == "b")
    memory = memory_of(Owner(stray), grown)  # a worker that restarted before the users moved
    await memory.commit(await memory.facts.puts([a_fact("profile:job", "A nurse.")], NOON))

    await spread(grown, await users_of(grown), SOON_S)

    for person in people:
        label = user_label(person)
        home = grown.home_of(label)
        for name, shard in grown.shards.items():
            [items] = await shard.abatch([SearchOp(("memories", label), limit=100)])
            assert bool(items) == (name == home)
    assert {grown.home_of(user_label(person)) for person in people} == {"a", "b"}
    found = await memory_of(Owner(stray), grown).facts.all()
    assert {fact.id for fact in found} == {a_fact().id, "profile:job"}


async def test_new_users_stay_off_a_shard_that_takes_moved_ones_only() -> None:
    store = ShardedStore({"a": InMemoryStore(), "b": InMemoryStore()}, new_users_on=["a"])

    await store.abatch([PutOp(("memories", f"u{n}", "facts"), "k", {"n": n}) for n in range(20)])

    assert {name for names in (await users_of(store)).values() for name in names} == {"a"}


async def test_all_shards_together_answer_what_is_about_everybody() -> None:
    store = ShardedStore({"a": InMemoryStore(), "b": InMemoryStore()})
    spaces = [("memories", f"u{number}", "facts") for number in range(9)]
    store.batch([PutOp(space, "k", {"n": 1}) for space in spaces])

    [listed] = store.batch([ListNamespacesOp(limit=4, offset=2)])
    [found] = await store.abatch([SearchOp(("memories",), limit=5)])
    [rest] = await store.abatch([SearchOp(("memories",), limit=100, offset=5)])

    assert listed == sorted(spaces)[2:6]
    assert len(found) == 5
    assert {tuple(each.namespace) for each in [*found, *rest]} == {*spaces}


@pytest.mark.parametrize(
    "url",
    ["sharded:", "sharded:memory", "sharded:=memory", "sharded:a=", "sharded:a=memory a=memory"],
)
async def test_a_shard_without_a_name_is_refused(url: str, embedder: Embedder) -> None:
    with pytest.raises(ConfigurationError, match="Name the shards as"):
        async with open_store(url, embedder):
            pass


async def test_an_unknown_shard_is_refused() -> None:
    store = ShardedStore({"a": InMemoryStore()})

    with pytest.raises(ConfigurationError, match="no shard 'z', only a"):
        await move_users(store, {ANA: "z"})
    with pytest.raises(ConfigurationError, match="Unknown shards: z"):
        ShardedStore({"a": InMemoryStore()}, new_users_on=["z"])
