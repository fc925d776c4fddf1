import asyncio
from datetime import timedelta

import pytest
from langgraph.store.base import SearchOp
from langgraph.store.memory import InMemoryStore

from memory_graph.errors import StoreUnavailableError
from memory_graph.store.index import NamespaceIndex
from memory_graph.store.owner import Owner
from memory_graph.store.revision import Writer
from memory_graph.store.scope import UserMemory, memory_of
from tests.configured import configure
from tests.examples import NOON, a_fact

CITY = a_fact()
CAT = a_fact("profile:pet:luna:age", "The user's cat Luna is 3 years old.", value="3")


class HeldStore(InMemoryStore):
    """A store that reads a whole namespace only once it is let go, and is quick otherwise."""

    def __init__(self, *, held: bool = True) -> None:
        super().__init__()
        self.go, self.asked = asyncio.Event(), asyncio.Event()
        if not held:
            self.go.set()
        self.scans = 0
        self.error: Exception | None = None

    async def abatch(self, ops):
        found = await super().abatch(ops)
        if any(isinstance(op, SearchOp) and op.namespace_prefix[-1] == "facts" for op in ops):
            self.scans += 1
            self.asked.set()
            await self.go.wait()
            if self.error:
                raise self.error
        return found


def opened(store: InMemoryStore) -> UserMemory:
    return memory_of(Owner("ana"), store)


async def save(memory: UserMemory, *facts, at=NOON) -> None:
    await memory.commit(await memory.facts.puts(facts, at))


async def saved_elsewhere(memory: UserMemory, *facts) -> None:
    """Write as another process does: only its counter tells of it."""
    puts = await memory.facts.puts(facts, NOON)
    await memory.scope.gateway.write([*puts, *Writer().announce(puts)])


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    configure(monkeypatch, limits={"store_read_timeout_s": 0.1, "store_scan_timeout_s": 0.1})


@pytest.fixture
def indexed(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The keys of each batch that is indexed."""
    batches: list[list[str]] = []
    upsert = NamespaceIndex.upsert

    def counted(index, documents):
        documents = list(documents)
        batches.append([document.key for document in documents])
        upsert(index, documents)

    monkeypatch.setattr(NamespaceIndex, "upsert", counted)
    return batches


@pytest.mark.usefixtures("_impatient")
async def test_a_namespace_that_takes_too_long_to_read_is_there_for_the_next_turn() -> None:
    store = HeldStore()
    memory = opened(store)
    await save(memory, CITY)

    with pytest.raises(StoreUnavailableError, match="continues for the next turn"):
        await memory.facts.latest(5)
    store.go.set()

    assert await memory.facts.latest(5) == [CITY]


@pytest.mark.usefixtures("_impatient")
async def test_a_read_that_fails_in_the_background_is_begun_again() -> None:
    store = HeldStore()
    memory = opened(store)
    await save(memory, CITY)
    store.error = ValueError("The disk is full.")

    with pytest.raises(StoreUnavailableError, match="continues"):
        await memory.facts.latest(5)
    store.go.set()
    with pytest.raises((StoreUnavailableError, ValueError)):
        await memory.facts.latest(5)
    store.error = None

    assert await memory.facts.latest(5) == [CITY]


async def test_those_who_ask_at_once_share_one_read() -> None:
    store = HeldStore()
    memory = opened(store)
    await save(memory, CITY)

    asking = asyncio.gather(*(memory.facts.latest(5) for _ in range(8)))
    await store.asked.wait()
    store.go.set()
    answers = await asking

    assert answers == [[CITY]] * 8
    assert store.scans == 1


async def test_nothing_at_all_is_read_once_too() -> None:
    store = HeldStore(held=False)
    memory = opened(store)

    for _ in range(3):
        assert await memory.facts.latest(5) == []

    assert store.scans == 1


async def test_what_could_not_be_indexed_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = opened(InMemoryStore())
    for fact in (CITY, CITY):
        await save(memory, fact)
        await memory.facts.latest(5)
    await saved_elsewhere(memory, CAT)
    with monkeypatch.context() as broken:
        broken.setattr(NamespaceIndex, "upsert", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            await memory.facts.latest(5)

    assert len(await memory.facts.latest(5)) == 2


async def test_what_this_process_wrote_is_indexed_once(indexed: list[list[str]]) -> None:
    memory = opened(InMemoryStore())
    await save(memory, CITY)
    await memory.facts.latest(5)

    await save(memory, CAT)
    await saved_elsewhere(memory, a_fact("profile:name", "The user is called Ana."))

    assert len(await memory.facts.latest(5)) == 3
    assert indexed[1:] == [[CAT.id], ["profile:name"]]


async def test_a_write_while_memory_is_read_is_not_missed() -> None:
    store = HeldStore()
    memory = opened(store)
    await save(memory, CITY)
    early = asyncio.create_task(memory.facts.latest(5))
    await store.asked.wait()

    await save(memory, CAT)
    store.go.set()

    assert len(await memory.facts.latest(5)) == 2
    await early


async def test_an_index_read_on_a_loop_that_was_closed_is_read_again(embedder) -> None:
    store = HeldStore()
    memory = opened(store)

    async def give_up() -> None:
        await save(memory, CITY)
        asyncio.create_task(memory.facts.latest(5))  # noqa: RUF006 — dies with the loop
        await store.asked.wait()

    await asyncio.to_thread(asyncio.run, give_up())
    store.go = asyncio.Event()
    store.go.set()

    assert await memory.facts.latest(5) == [CITY]


async def test_what_was_written_of_late_is_indexed_again_only_if_it_changed(indexed) -> None:
    memory = opened(InMemoryStore())
    await save(memory, CITY)
    await memory.facts.latest(5)
    await save(memory, CAT)
    await memory.facts.latest(5)
    indexed.clear()

    await save(memory, CAT.model_copy(update={"importance": 5}))
    await memory.facts.latest(5)

    assert indexed == [[CAT.id]]


async def test_a_change_of_pace_reads_only_the_last_minutes(indexed) -> None:
    memory = opened(InMemoryStore())
    await save(memory, CITY)
    await memory.facts.latest(5)
    indexed.clear()

    await save(memory, CAT, at=NOON + timedelta(hours=1))
    await memory.facts.latest(5)
    await save(memory, CAT, at=NOON + timedelta(hours=2))
    await memory.facts.latest(5)

    assert [key for batch in indexed[1:] for key in batch] == [CAT.id]


async def test_what_another_process_wrote_of_another_kind_is_no_reason_to_read_again(
    indexed: list[list[str]],
) -> None:
    store = HeldStore(held=False)
    memory = opened(store)
    await save(memory, CITY)
    await memory.facts.latest(5)
    indexed.clear()
    archived = await memory.archive.puts([CAT], NOON)
    await memory.scope.gateway.write([*archived, *Writer().announce(archived)])

    assert await memory.facts.latest(5) == [CITY]
    assert (store.scans, [key for batch in indexed for key in batch]) == (1, [])


async def test_who_missed_more_writes_than_are_listed_reads_everything() -> None:
    missed = 60
    store = HeldStore(held=False)
    memory, other = opened(store), Writer()
    await save(memory, CITY)
    await memory.facts.latest(5)
    facts = [a_fact(f"other:{number}", f"Fact number {number}.") for number in range(missed)]
    for fact in facts:
        puts = await memory.facts.puts([fact], NOON)
        await memory.scope.gateway.write([*puts, *other.announce(puts)])

    assert len(await memory.facts.latest(100)) == missed + 1
    assert store.scans == 2


async def test_a_write_beside_one_that_starts_the_counts_anew_is_heard_of() -> None:
    """Another process counts on under its old id after a deletion took its counter away."""
    memory, other = opened(InMemoryStore()), Writer()
    for fact in (CITY, CAT):
        puts = await memory.facts.puts([fact], NOON)
        await memory.scope.gateway.write([*puts, *other.announce(puts)])
    assert len(await memory.facts.latest(5)) == 2
    await memory.commit(memory.facts.deletions([CAT.id]))
    assert await memory.facts.latest(5) == [CITY]

    puts = await memory.facts.puts([a_fact("profile:name", "The user is called Ana.")], NOON)
    await memory.scope.gateway.write([*puts, *other.announce(puts)])

    assert len(await memory.facts.latest(5)) == 2


async def test_what_was_deleted_is_not_found_by_its_id() -> None:
    store = InMemoryStore()
    memory = opened(store)
    await save(memory, CITY, CAT)
    assert len(await memory.facts.latest(5)) == 2
    assert (await memory.facts.find([CAT.id])).keys() == {CAT.id}

    await memory.commit(memory.facts.deletions([CAT.id]))
    assert await memory.facts.latest(5) == [CITY]
    assert await memory.facts.find([CAT.id, CITY.id]) == {CITY.id: CITY}
