"""Users on several stores: they stay apart, and lose nothing when they move while they talk."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path

import pytest
from langgraph.store.base import ListNamespacesOp, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from memory_graph.embedding import Embedder
from memory_graph.errors import ConfigurationError
from memory_graph.memory import Memory
from memory_graph.store.backends import open_store, sharded
from memory_graph.store.backends.protocol import OpenedStore
from memory_graph.store.backends.sharded import (
    DIRECTORY,
    ShardedStore,
    move_users,
    places_of,
    spread,
    users_of,
)
from memory_graph.store.freshness import read_revision
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


async def _broken_off(store: ShardedStore, to: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin to move Ana, and stop before anything is copied."""

    async def dies(*_: object) -> None:
        raise ConnectionError

    with monkeypatch.context() as broken:
        broken.setattr(sharded, "_fill", dies)
        with pytest.raises(ConnectionError):
            await move_users(store, {ANA: to}, SOON_S)


async def _rows(store: ShardedStore) -> str:
    """Return all that the shards hold."""
    found = []
    for shard in store.shards.values():
        [items] = await shard.abatch([SearchOp((), limit=1000)])
        found += [(each.namespace, each.key, each.value) for each in items]
    return str(found)


async def _mark(store: ShardedStore) -> str:
    """Return the mark of Ana's last erasure, as turns find it."""
    scope = memory_of(Owner("ana"), store).scope
    return (await read_revision(scope.gateway, scope.root)).erasure.mark


async def test_a_move_that_was_broken_off_early_is_called_off_without_loss(
    workers: list[ShardedStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = workers[0]
    old, new = store.home_of(ANA), other_shard(store)
    saved = {await save(store, number) for number in range(3)}
    await _broken_off(store, new, monkeypatch)

    assert await move_users(store, {ANA: old}, SOON_S) == 1

    assert {fact.id for fact in await memory_of(Owner("ana"), store).facts.all()} == saved
    assert await held(store, new) == 0
    assert (await places_of(store, [ANA]))[ANA] == (old, None, None)


async def test_spreading_ends_moves_that_were_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["a", "b", "c"]
    store = ShardedStore({name: InMemoryStore() for name in names})
    home = store.home_of(ANA)
    first, second = (name for name in names if name != home)
    saved = {await save(store, number) for number in range(3)}
    await move_users(store, {ANA: first}, 0)
    await _broken_off(store, second, monkeypatch)

    await spread(store, await users_of(store), 0)

    assert {fact.id for fact in await memory_of(Owner("ana"), store).facts.all()} == saved
    assert (await places_of(store, [ANA]))[ANA] == (home, None, None)
    assert await held(store, first) == await held(store, second) == 0


@pytest.mark.parametrize("state", ["moved", "half moved", "moved back"])
async def test_an_erasure_leaves_no_row_in_the_directory_and_nothing_on_any_shard(
    workers: list[ShardedStore], monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    store, other = workers
    old, new = store.home_of(ANA), other_shard(store)
    await save(store, 1)
    if state != "half moved":
        await move_users(store, {ANA: new}, SOON_S)
    if state == "moved back":
        await move_users(store, {ANA: old}, SOON_S)
    if state == "half moved":
        await _broken_off(store, new, monkeypatch)
    await save(store, 2)
    stray = PutOp(("memories", ANA, "facts"), "stray", {"text": "Fact number 3."}, index=False)
    await store.shards[old if state == "moved" else new].abatch([stray])

    erased = await Memory(store, user_id="ana").aforget_everything()

    left = await _rows(store)
    assert erased.left == {}
    assert "Fact number" not in left
    assert "other:" not in left
    assert str(DIRECTORY) not in left
    assert await users_of(store) == {}
    assert [*await users_of(store, erased=True)] == [ANA]
    await asyncio.sleep(SOON_S)
    marks = {await _mark(each) for each in (store, other, ShardedStore(store.shards))}
    assert len(marks) == 1
    assert "" not in marks


async def test_an_erasure_is_known_on_shards_that_are_added_later(
    tmp_path: Path, embedder: Embedder
) -> None:
    names = next(
        f"a{name}" for name in "bcdefgh" if ShardedStore(_empty(f"a{name}")).home_of(ANA) == name
    )
    first, second = (f"{name}=sqlite:{tmp_path / name}.sqlite" for name in names)
    async with open_store(f"sharded:{first}", embedder) as opened:
        await save(_sharded(opened), 1)
        await Memory(opened.store, user_id="ana").aforget_everything()
        mark = await _mark(_sharded(opened))

    async with open_store(f"sharded:{first} +{second}", embedder) as opened:
        store = _sharded(opened)
        for label in await users_of(store, erased=True):
            await sharded.forget_place(store, label)
        assert str(DIRECTORY) not in await _rows(store)

    async with open_store(f"sharded:{first} {second}", embedder) as opened:
        assert _sharded(opened).home_of(ANA) == names[1]
        assert await _mark(_sharded(opened)) == mark


def _empty(names: str) -> dict[str, InMemoryStore]:
    return {name: InMemoryStore() for name in names}


def _sharded(opened: OpenedStore) -> ShardedStore:
    assert isinstance(opened.store, ShardedStore)
    return opened.store


@pytest.mark.parametrize("settled", [0.5, 1.5, 2.5])
async def test_everything_forgotten_during_a_move_stays_forgotten(
    workers: list[ShardedStore], settled: float
) -> None:
    store, other = workers
    await save(store, 1)
    moving = asyncio.create_task(move_users(store, {ANA: other_shard(store)}, SOON_S))
    await asyncio.sleep(SOON_S * settled)

    await Memory(other, user_id="ana").aforget_everything()
    await moving

    left = await _rows(store)
    assert "Fact number" not in left
    assert str(DIRECTORY) not in left
    assert await users_of(store) == {}
    assert await _mark(ShardedStore(store.shards))


async def test_only_the_first_sqlite_shard_has_threads(
    sharded_url: str, embedder: Embedder, tmp_path: Path
) -> None:
    async with open_store(sharded_url, embedder):
        pass

    files = await asyncio.to_thread(lambda: sorted(tmp_path.glob("*-threads.sqlite")))
    assert [path.name for path in files] == ["a-threads.sqlite"]


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
