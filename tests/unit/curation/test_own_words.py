"""Facts that older versions kept in the user's own words become quotations."""

from datetime import timedelta

from memory_graph.curation.own_words import find_own_words, move_own_words
from memory_graph.curation.undo import undo
from memory_graph.records import FactVersion, Source, TurnRecord
from tests.examples import NOON, a_fact


def own_words(name, text, **given):
    source = Source(thread_id="t", message_ids=(name,))
    return a_fact(name, text, own_words=True, extractor="rules/2", source=source, **given)


async def kept(memory, *facts):
    await memory.commit(await memory.facts.puts([*facts], NOON))


async def test_nothing_is_lost_and_undo_brings_it_back(memory):
    before = FactVersion(
        statement="rent is 720",
        valid_from=NOON - timedelta(days=9),
        valid_to=NOON,
        source=Source(thread_id="t", message_ids=("m0",)),
    )
    rent = own_words("m1", "rent went up to 740", history=(before,))
    keyed = a_fact("profile:city", "The user lives in Leeds.", attribute="city", value="Leeds")
    await kept(memory, rent, keyed)

    found = await find_own_words(memory, NOON)
    entry = await move_own_words(memory, found, NOON)

    assert [each.id for each in await memory.facts.all()] == ["profile:city"]
    said = {turn.text: turn for turn in await memory.turns.all()}
    assert set(said) == {"rent is 720", "rent went up to 740"}
    assert said["rent is 720"].outdated_at == NOON
    assert said["rent went up to 740"].outdated_at is None

    await undo(memory, entry, None, NOON)
    assert {each.id for each in await memory.facts.all()} == {"profile:city", "m1"}


async def test_words_that_stand_in_a_turn_are_not_written_twice(memory):
    await kept(memory, own_words("m1", "rent went up to 740"))
    turn = TurnRecord(
        id="turn-x-user",
        text="rent went up to 740, sigh. what do you think?",
        speaker="user",
        session="t",
        position=1,
        said_at=NOON,
        source=Source(thread_id="t", message_ids=("m1",)),
    )
    await memory.commit(await memory.turns.puts([turn], NOON))

    await move_own_words(memory, await find_own_words(memory, NOON), NOON)

    assert [each.text for each in await memory.turns.all()] == [turn.text]
    assert await memory.facts.all() == []


async def test_what_was_to_be_remembered_and_what_is_pinned_stay(memory):
    asked = own_words("m1", "Remember that the bins go out on Tuesday.")
    pinned = own_words("m2", "the wifi is called kiwi", pinned=True)
    await kept(memory, asked.model_copy(update={"extractor": "rules/3"}), pinned)

    assert await find_own_words(memory, NOON) == []
