"""A store that can search itself finds what this process would, before anything is indexed here."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from psycopg import AsyncConnection

from evals.suites.questions import NOW, Answered, as_fact, read_known, read_questions
from memory_graph.context import Context
from memory_graph.curation.forget import forget_everything
from memory_graph.embedding import Embedder
from memory_graph.episodes.store import EPISODES, Episodes
from memory_graph.facts.store import FACTS, Facts
from memory_graph.recall.search import recall
from memory_graph.records import Handling, Source, TurnRecord
from memory_graph.settings import Settings
from memory_graph.store import collection, index_cache
from memory_graph.store.configured import open_configured_store
from memory_graph.store.index_cache import IndexCache
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of
from memory_graph.turns.store import TURNS, USER, Turns, record_id
from tests.examples import a_fact

NEVER = (1e9, 1e9)


@pytest.fixture
async def marta(postgres_url: str, embedder: Embedder) -> AsyncIterator[UserMemory]:
    async with open_configured_store(Settings(store=postgres_url), embedder) as opened:
        memory = memory_of(Owner("marta"), opened.store)
        facts = [as_fact(known) for known in read_known() if known.of == "marta"]
        await memory.commit(await memory.facts.puts(facts, NOW))
        yield memory


def anew(memory: UserMemory) -> UserMemory:
    """Return a memory as a process sees it that has indexed nothing."""
    scope = replace(memory.scope, indexes=IndexCache(10_000))
    return replace(
        memory,
        scope=scope,
        facts=Facts(scope, FACTS),
        turns=Turns(scope, TURNS),
        episodes=Episodes(scope, EPISODES),
    )


def held(memory: UserMemory) -> bool:
    scope = memory.scope
    return scope.indexes.holds((id(scope.gateway.store), memory.facts.namespace), 10_000)


async def share_found(memory: UserMemory) -> float:
    asked = [each for each in read_questions() if each.of == "marta" and each.want][::4]
    answers = [
        Answered(each, await recall(memory, each.ask, Context(user_id="marta"), NOW))
        for each in asked
    ]
    found = [bool(each.question.want & set(each.ranked[:5])) for each in answers]
    return sum(found) / len(found)


async def test_the_store_finds_as_much_as_this_process(
    marta: UserMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_cache, "_COMES_BACK_S", NEVER)
    monkeypatch.setattr(collection, "_SMALL", 0)
    cold = anew(marta)
    by_store = await share_found(cold)
    assert not held(cold)

    monkeypatch.setattr(collection, "_SMALL", 10_000)
    warm = anew(marta)
    in_process = await share_found(warm)
    assert held(warm)

    assert abs(by_store - in_process) <= 0.01


async def test_the_store_counts_as_this_process_does(
    marta: UserMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_cache, "_COMES_BACK_S", NEVER)
    told = Source(message_ids=("m7", "m8"))
    pet = a_fact("profile:pet:rex:age", "Rex is 3.", entity="Rex", entity_kind="pet", source=told)
    ended = pet.model_copy(update={"id": "gone", "entity": "Tom", "valid_to": NOW})
    await marta.commit(await marta.facts.puts([pet, ended], NOW))

    for small in (0, 10_000):
        monkeypatch.setattr(collection, "_SMALL", small)
        memory = anew(marta)
        assert await memory.facts.entities() == {"rex": "pet"}
        assert await memory.facts.told_in({"m7"}) == [pet]
        assert held(memory) == (small > 0)


async def test_the_store_looks_at_one_user_only(
    marta: UserMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "_SMALL", 0)
    for name in ("marta2", "marta.facts", "m%", "mart_"):
        other = memory_of(Owner(name), marta.scope.gateway.store)
        secret = a_fact().model_copy(update={"id": f"of-{name}", "statement": "The code is 4711."})
        await other.commit(await other.facts.puts([secret], NOW))

    query = await marta.query("What is the code?", NOW)
    found = await anew(marta).facts.search(query, 500)
    near = await anew(marta).facts.similar("The code is 4711.", 500)

    own = {known.id for known in read_known() if known.of == "marta"}
    assert {each.record.id for each in found} <= own
    assert {record.id for record, _ in near} <= own


async def test_what_was_erased_is_found_by_nobody(
    marta: UserMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "_SMALL", 0)
    gone = next(known for known in read_known() if known.of == "marta")
    query = await marta.query(gone.statement, NOW)
    assert (await anew(marta).facts.search(query, 1))[0].record.id == gone.id

    await marta.commit(marta.facts.deletions([gone.id]))
    assert gone.id not in {e.record.id for e in await anew(marta).facts.search(query, 500)}

    await forget_everything(marta, NOW)
    empty = anew(marta)
    assert await empty.facts.search(query, 10) == []
    assert await empty.facts.similar(gone.statement, 10) == []
    assert await empty.turns.speakers() == []


async def test_whoever_comes_back_is_indexed_here(
    marta: UserMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "_SMALL", 0)
    monkeypatch.setattr(index_cache, "_COMES_BACK_S", NEVER)
    query, memory = await marta.query("Where do I live?", NOW), anew(marta)
    by_store = await memory.facts.search(query, 3)
    await memory.facts.search(query, 3)
    assert not held(memory)

    monkeypatch.setattr(index_cache, "_COMES_BACK_S", (0.0, 1e9))
    await memory.facts.search(query, 3)
    async with asyncio.timeout(30):
        while not held(memory):  # noqa: ASYNC110 — it is read in the background
            await asyncio.sleep(0.01)

    in_process = await memory.facts.search(query, 3)
    assert [each.record.id for each in in_process] == [each.record.id for each in by_store]


async def test_connections_that_are_cut_are_made_anew(marta: UserMemory, postgres_url: str) -> None:
    store, kind = marta.scope.gateway.store, marta.scope.gateway.backend
    async with kind.lock(store, 4711):
        known = await marta.facts.all()
    async with await AsyncConnection.connect(postgres_url, autocommit=True) as connection:
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )

    async with kind.lock(store, 4711):
        assert len(await marta.facts.all()) == len(known)
    assert await anew(marta).facts.similar("Where do I live?", 3)


async def test_a_large_namespace_is_read_in_parts(
    marta: UserMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "_SMALL", 10_000)
    whole = await anew(marta).facts.latest(500)
    monkeypatch.setattr(index_cache, "_BATCH", 5)
    read: list[int] = []
    get = marta.scope.gateway.backend.batch

    async def counted(store, ops):
        results = await get(store, ops)
        found = (each if isinstance(each, list) else [each] for each in results)
        read.append(sum(len(each) for each in found))
        return results

    monkeypatch.setattr(marta.scope.gateway.backend, "batch", counted)
    memory = anew(marta)
    await memory.scope.indexes.fresh(memory.facts._source)

    assert len(whole) > 5
    assert max(read) <= 5
    assert {each.id for each in await memory.facts.latest(500)} == {each.id for each in whole}


async def test_what_waits_is_listed_and_not_found_whoever_searches(
    marta: UserMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_cache, "_COMES_BACK_S", NEVER)
    said = TurnRecord(
        id=record_id("a" * 32),
        text="We hid the zebrawood box behind the piano.",
        speaker=USER,
        session="t9",
        position=int(NOW.timestamp() * 1000),
        said_at=NOW,
        captured=Handling(state="open"),
    )
    over = said.model_copy(update={"id": record_id("b" * 32), "captured": Handling()})
    await marta.commit(await marta.turns.puts([said, over], NOW))
    query = await marta.query("Where is the zebrawood box?", NOW)

    for small, batch in ((0, 1000), (10_000, 1000), (10_000, 5)):
        monkeypatch.setattr(collection, "_SMALL", small)
        monkeypatch.setattr(index_cache, "_BATCH", batch)
        memory = anew(marta)
        assert [found.record for found in await memory.turns.search(query, 1)] == [over]
        assert [each.id for each in await memory.turns.waiting()] == [said.id]
        assert {*await memory.turns.in_thread("t9")} == {said.id, over.id}
