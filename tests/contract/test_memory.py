"""`Memory` does the same on every store."""

from memory_graph.memory import Memory
from memory_graph.store.backends.protocol import OpenedStore


async def test_a_life_of_a_fact(backend: OpenedStore) -> None:
    ana, ben = (Memory(backend.store, user_id=each) for each in ("ana", 7))
    await ana.aadd("My cat Luna is 3.")
    await ben.aadd("I live in Porto.")
    await ana.acorrect("profile:pet:luna:age", "The user's cat Luna is 4 years old.", value="4")
    await ana.apin("profile:pet:luna:age")

    told = await ana.arecall("How old is Luna?", explain=True)
    [fact] = await ana.afacts()
    why = await ana.awhy(fact.id)

    assert "Luna is 4 years old" in told.block
    assert fact.pinned
    assert [version.value for version in await ana.ahistory(fact.id)] == ["3", "4"]
    assert [d.reason for entry in why.entries for d in entry.decisions] == [
        "new_fact",
        "corrected",
        "pinned",
    ]
    assert (await ana.awhy_not("How old is Luna?", fact.id)).fate == "shown"
    assert "Porto" not in str(await ana.aeverything())

    await ana.aundo(why.entries[-1].id)
    assert not (await ana.afact(fact.id)).pinned
    erased = await ana.aforget_everything()
    assert erased.forgotten["facts"] == 1
    assert erased.left == {}
    assert len(await ben.afacts()) == 1


async def test_copies_are_mended_and_brought_back(backend: OpenedStore) -> None:
    ana = Memory(backend.store, user_id="ana")
    await ana.aadd("Remember that I really love hiking in the mountains on weekends.")
    copies = [line for line in await ana.aexport() if '"kind": "fact"' in line]
    [copied] = await ana.afacts()
    await ana.aimport_([line.replace(copied.id, "fact-copy") for line in copies])

    mended = await ana.afix(apply=True)
    left = [fact.id for fact in await ana.afacts()]
    assert mended.entry_id
    await ana.aundo(mended.entry_id)

    assert len(left) == 1
    assert {fact.id for fact in await ana.afacts()} == {copied.id, "fact-copy"}
