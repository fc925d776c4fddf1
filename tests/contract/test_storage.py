import asyncio
import json
from datetime import timedelta

import pytest
from langgraph.store.base import PutOp

from memory_graph.curation.forget import count_items
from memory_graph.embedding import Embedder
from memory_graph.errors import (
    EmbedderMismatchError,
    ForgottenMeanwhileError,
    RecordNotFoundError,
)
from memory_graph.records import (
    Considered,
    FactVersion,
    LedgerEntry,
    MemoryDecision,
    RecallTrace,
    Source,
)
from memory_graph.store.backends.protocol import OpenedStore
from memory_graph.store.changes import decision_for
from memory_graph.store.configured import check_or_record_embedder
from memory_graph.store.index_cache import IndexCache
from memory_graph.store.owner import Owner
from memory_graph.store.revision import Marks, erasure_put
from memory_graph.store.scope import UserMemory, memory_of, memory_under
from memory_graph.store.values import Query, Window
from tests.contract.conftest import MemoryOf
from tests.examples import NOON, a_fact, an_episode

CITY = a_fact()
CAT = a_fact("profile:pet:luna:age", "The user's cat Luna is 3 years old.", value="3")


async def save(memory: UserMemory, *facts, at=NOON) -> None:
    await memory.commit(await memory.facts.puts(facts, at))


async def ask(memory: UserMemory, text: str, **given) -> Query:
    [vector] = await memory.scope.embedder.embed([text])
    return Query(text=text, vector=vector, now=NOON.timestamp(), **given)


async def test_a_fact_comes_back_as_it_was_saved(memory: UserMemory) -> None:
    past = FactVersion(statement="…in Rome.", valid_from=NOON - timedelta(days=9), valid_to=NOON)
    fact = CITY.model_copy(update={"history": (past,), "event_date": NOON.date(), "pinned": True})

    await save(memory, fact)

    assert await memory.facts.get(fact.id) == fact
    assert await memory.facts.all() == [fact]


async def test_an_episode_comes_back_as_it_was_saved(memory: UserMemory) -> None:
    episode = an_episode(lessons=("renew tokens early",), metrics={"tool_calls": 2.0})

    await memory.commit(await memory.episodes.puts([episode], NOON))

    assert await memory.episodes.get(episode.id) == episode


async def test_an_unknown_id_is_named(memory: UserMemory) -> None:
    with pytest.raises(RecordNotFoundError, match="No fact with id 'nope'"):
        await memory.facts.get("nope")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("user1", "user10"),
        ("a.b", "a_b"),
        ("a%", "ab"),
        ("ana@example.com", "ana@example=2Ecom"),
        ("x" * 200, "x" * 201),
        ("ana\x00", "ana"),
        ("Ana", "ana"),
        ("аna", "ana"),
    ],
)
async def test_one_user_never_sees_another(memory_for: MemoryOf, one: str, other: str) -> None:
    await save(memory_for(one), CITY)

    theirs = memory_for(other)
    assert await theirs.facts.all() == []
    assert await theirs.facts.find([CITY.id]) == {}
    assert await theirs.facts.search(await ask(theirs, "Lisbon"), 10) == []
    assert await theirs.facts.similar(CITY.statement, 10) == []
    assert await memory_for(one).facts.all() == [CITY]


async def test_finds_by_words_and_by_meaning_and_says_why(memory: UserMemory) -> None:
    job = a_fact("work:job", "The user works as a nurse.")
    await save(memory, CITY, CAT, job)

    by_word = await memory.facts.search(await ask(memory, "How old is Luna?"), 3)
    by_meaning = await memory.facts.search(await ask(memory, "What is my profession?"), 3)

    assert by_word[0].record == CAT
    assert by_meaning[0].record == job
    assert by_word[0].parts["lexical"] > 0
    assert by_word[0].score == pytest.approx(sum(by_word[0].parts.values()), abs=1e-5)


async def test_an_update_is_found_by_its_new_text_only(memory: UserMemory) -> None:
    await save(memory, CITY)
    [(_, before)] = await memory.facts.similar("The user lives in Lisbon.", 1)
    moved = CITY.model_copy(update={"statement": "The user moved to a farm in the Alentejo."})

    await save(memory, moved)

    [(found, after)] = await memory.facts.similar("The user lives in Lisbon.", 1)
    assert found == moved
    assert before == pytest.approx(1.0, abs=0.01)
    assert after < before


async def test_an_index_in_another_process_follows_writes_and_deletions(
    memory: UserMemory, backend: OpenedStore
) -> None:
    elsewhere = memory_of(Owner("ana"), backend.store)
    object.__setattr__(elsewhere.scope, "indexes", IndexCache(1000))
    await save(memory, CITY)
    assert len(await elsewhere.facts.similar("city", 5)) == 1

    await save(memory, CAT, at=NOON + timedelta(hours=1))
    assert len(await elsewhere.facts.similar("city", 5)) == 2

    await memory.commit(memory.facts.deletions([CITY.id]))
    assert [fact for fact, _ in await elsewhere.facts.similar("city", 5)] == [CAT]


async def test_a_clock_that_goes_ahead_hides_nothing_that_is_written_after_it(
    memory: UserMemory, backend: OpenedStore
) -> None:
    elsewhere = memory_of(Owner("ana"), backend.store)
    object.__setattr__(elsewhere.scope, "indexes", IndexCache(1000))
    await save(memory, CITY, at=NOON + timedelta(hours=1))
    assert len(await elsewhere.facts.similar("city", 5)) == 1

    await save(memory, CAT, at=NOON)

    assert len(await elsewhere.facts.similar("city", 5)) == 2


async def test_counters_that_start_anew_are_followed(
    memory: UserMemory, backend: OpenedStore
) -> None:
    elsewhere = memory_of(Owner("ana"), backend.store)
    object.__setattr__(elsewhere.scope, "indexes", IndexCache(1000))
    await save(memory, CITY)
    await save(memory, CAT)
    assert len(await elsewhere.facts.similar("city", 5)) == 2

    await memory.commit(memory.facts.deletions([CAT.id]))

    assert len(await elsewhere.facts.similar("city", 5)) == 1
    kept = await backend.store.asearch(memory.scope.root, limit=100)
    assert not [item for item in kept if CAT.id in json.dumps([item.key, item.value])]

    await save(memory, CAT)

    assert len(await elsewhere.facts.similar("city", 5)) == 2


async def test_whoever_missed_many_writes_reads_everything_again(
    memory: UserMemory, backend: OpenedStore
) -> None:
    elsewhere = memory_of(Owner("ana"), backend.store)
    object.__setattr__(elsewhere.scope, "indexes", IndexCache(1000))
    await save(memory, CITY)
    assert len(await elsewhere.facts.similar("city", 5)) == 1

    await save(memory, CAT)
    for _ in range(30):
        await save(memory, CITY)

    assert len(await elsewhere.facts.similar("city", 5)) == 2


async def test_an_unreadable_record_takes_no_other_ones_place(
    memory: UserMemory, caplog: pytest.LogCaptureFixture
) -> None:
    await save(memory, CITY)
    [put] = await memory.facts.puts([CITY], NOON + timedelta(minutes=1))
    assert put.value is not None
    broken = put.value | {"id": "broken", "category": 7, "valid_from": "2026-11-17T00:00:00Z"}
    await memory.commit([PutOp(put.namespace, "broken", broken, index=False)])

    found = await memory.facts.search(await ask(memory, "Lisbon"), 1)

    assert [each.record for each in found] == [CITY]
    assert await memory.facts.latest(1) == [CITY]
    assert [fact for fact, _ in await memory.facts.similar(CITY.statement, 1)] == [CITY]
    assert "Skipping an unreadable fact" in caplog.text


async def test_hostile_text_is_kept_as_far_as_every_store_can(memory: UserMemory) -> None:
    nasty = CITY.model_copy(update={"statement": "NUL \x00 lone \ud800 emoji 👩‍👩‍👧 rtl \u202e ok"})

    await save(memory, nasty)

    kept = (await memory.facts.get(nasty.id)).statement
    assert kept == "NUL � lone � emoji 👩‍👩‍👧 rtl \u202e ok"


async def test_only_current_facts_are_listed_as_such(memory: UserMemory) -> None:
    ended = CAT.model_copy(update={"valid_to": NOON})
    await save(memory, CITY, ended)

    assert await memory.facts.current() == [CITY]


async def test_episodes_are_found_by_time(memory: UserMemory) -> None:
    week = [an_episode(f"ep-{n}", ended_at=NOON - timedelta(days=n)) for n in range(7)]
    await memory.commit(await memory.episodes.puts(week, NOON))

    recent = await memory.episodes.recent(10, since=NOON - timedelta(days=2))
    start = (NOON - timedelta(days=5)).timestamp()
    window = Window(start=start, end=start + 86_400, mode="hard")
    asked = await ask(memory, "the deploy", window=window)

    assert [episode.id for episode in recent] == ["ep-0", "ep-1", "ep-2"]
    assert [found.record.id for found in await memory.episodes.search(asked, 5)] == ["ep-5"]


async def test_counting_an_access_changes_no_record(memory: UserMemory) -> None:
    await save(memory, CITY)
    before = await memory.scope.gateway.scan(memory.facts.namespace)

    for _ in range(2):
        await memory.commit(await memory.access.touch([CITY.id], NOON))

    assert await memory.scope.gateway.scan(memory.facts.namespace) == before
    assert (await memory.access.find([CITY.id]))[CITY.id].count == 2


async def test_accesses_are_counted_over_days_until_they_are_forgotten(memory: UserMemory) -> None:
    later = NOON + timedelta(days=1)
    for moment in (NOON, later):
        await memory.commit(await memory.access.touch([CITY.id, CAT.id], moment))
    await memory.commit(await memory.access.touch([CITY.id], later))

    counted = await memory.access.find([CITY.id, "never"])
    assert {each: (n.count, n.last_accessed_at) for each, n in counted.items()} == {
        CITY.id: (3, later)
    }

    await memory.commit(await memory.access.forget(CITY.id))

    assert [*await memory.access.find([CITY.id, CAT.id])] == [CAT.id]


async def test_fifty_writers_lose_nothing(memory_for: MemoryOf) -> None:
    facts = [a_fact(f"health:allergy:{n}", f"The user is allergic to {n}.") for n in range(50)]

    await asyncio.gather(*(save(memory_for("ana"), fact) for fact in facts))

    assert len(await memory_for("ana").facts.all()) == 50


async def test_more_than_a_page_comes_back(memory: UserMemory) -> None:
    await save(memory, *(a_fact(f"other:{n}", f"Fact number {n}.") for n in range(240)))

    assert len({fact.id for fact in await memory.facts.all()}) == 240


async def test_two_records_may_say_the_same(memory: UserMemory) -> None:
    twin = a_fact("profile:home", CITY.statement)

    await save(memory, CITY, twin)

    assert len(await memory.facts.all()) == 2


async def test_the_ledger_tells_what_happened_to_a_memory(memory: UserMemory) -> None:
    def entry(n: int, memory_id: str) -> LedgerEntry:
        decision = MemoryDecision(
            kind="fact", action="create", reason="new_fact", memory_id=memory_id
        )
        return LedgerEntry(
            id=f"{n:032x}-memory_hotpath",
            at=NOON + timedelta(minutes=n),
            node="memory_hotpath",
            source=Source(message_ids=(f"m{n}",)),
            decisions=(decision,),
        )

    entries = [entry(n, CITY.id if n % 2 else CAT.id) for n in range(1, 5)]
    for each in entries:
        await memory.commit(await memory.ledger.keep(each))

    assert await memory.ledger.recent() == entries[::-1]
    assert await memory.ledger.about(CITY.id) == [entries[0], entries[2]]


async def test_receipts_can_be_read_without_their_details(memory: UserMemory) -> None:
    trace = RecallTrace(
        found="found", considered=(Considered(memory_id=CITY.id, kind="fact", fate="shown"),)
    )
    decided = decision_for("create", "new", before=None, after=CITY)
    skipped = MemoryDecision(kind="fact", action="skip", reason="small_talk")
    entry = LedgerEntry(
        id="1-x", at=NOON, node="episodic_capture", recall=trace, decisions=(skipped, decided)
    )
    brief = entry.model_copy(
        update={"recall": None, "decisions": (skipped, decided.model_copy(update={"after": None}))}
    )
    await memory.commit(memory.ledger.puts(entry))

    assert await memory.ledger.recent() == [entry]
    assert await memory.ledger.find([entry.id]) == {entry.id: entry}
    assert await memory.ledger.find([entry.id], details=False) == {entry.id: brief}

    rewritten = entry.model_copy(update={"decisions": (skipped, skipped), "recall": None})
    await memory.commit(memory.ledger.puts(rewritten))

    assert (await memory.ledger.get(entry.id)).decisions == (skipped, skipped)
    assert (await memory.ledger.get(entry.id)).recall == trace

    await memory.commit(memory.ledger.deletions([entry.id]))

    assert await count_items(memory) == {}


async def test_the_ledger_is_bounded(memory: UserMemory) -> None:
    object.__setattr__(memory.ledger, "max_entries", 3)
    for n in range(7):  # ids chosen so that each looks whether to trim
        entry = LedgerEntry(id=f"{200 * n:08x}-x", at=NOON + timedelta(minutes=n), node="x")
        await memory.commit(await memory.ledger.keep(entry))

    assert len(await memory.ledger.recent()) <= 4


async def test_an_unreadable_record_is_passed_over(
    memory: UserMemory, backend: OpenedStore
) -> None:
    await save(memory, CITY)
    broken = {"id": "x", "text": "half a fact", "written_epoch": int(NOON.timestamp())}
    await backend.store.aput(memory.facts.namespace, "x", broken, index=False)

    assert await memory.facts.all() == [CITY]
    assert [fact for fact, _ in await memory.facts.similar("city", 5)] == [CITY]


async def test_another_embedder_is_refused_with_the_way_out(
    memory: UserMemory, embedder: Embedder
) -> None:
    other = type(embedder)("wordllama", 256, embedder.scale, embedder.build)

    with pytest.raises(EmbedderMismatchError, match="memory-graph reembed"):
        await check_or_record_embedder(memory.scope.gateway, other)


async def test_a_write_that_began_before_an_erasure_writes_nothing(memory: UserMemory) -> None:
    turn = open_again(memory)
    turn.scope.marks.began = ""
    await turn.commit(await turn.facts.puts([CITY], NOON))
    assert await memory.facts.find([CITY.id])

    await memory.scope.gateway.write([erasure_put(memory.scope.root, NOON)])

    with pytest.raises(ForgottenMeanwhileError):
        await turn.commit(await turn.facts.puts([CAT], NOON))
    assert not await memory.facts.find([CAT.id])


def open_again(memory: UserMemory) -> UserMemory:
    return memory_under(memory.scope.root[-1], memory.scope.gateway.store, None, Marks(keeps=True))
