import pytest

from memory_graph.curation.misfiled import find_misfiled, move_misfiled
from memory_graph.curation.undo import undo
from tests.examples import NOON, a_fact, an_episode

LISBON = an_episode("ep-city", "living in Lisbon", summary="The user lives in Lisbon.")
REAL = an_episode("ep-real")
DECIDED = a_fact("fact-1", "The user decided to go with Postgres.")
SAVING = a_fact("fact-2", "The user is saving for a house.")


@pytest.fixture
async def filled(memory):
    puts = await memory.episodes.puts([LISBON, REAL], NOON)
    await memory.commit([*puts, *await memory.facts.puts([DECIDED, SAVING], NOON)])
    return memory


async def test_only_what_is_in_the_wrong_place_is_found_and_nothing_changes(filled):
    found = await find_misfiled(filled)

    assert [each.episode.id for each in found] == ["ep-city"]
    assert len(await filled.episodes.all()) == len(await filled.facts.all()) == 2
    assert await filled.ledger.recent() == []


async def test_each_is_moved_with_its_source_and_its_time(filled):
    await move_misfiled(filled, await find_misfiled(filled), NOON)

    city = await filled.facts.get("profile:city")
    assert (city.value, city.valid_from, city.extractor) == ("Lisbon", NOON, "migrate-misfiled")
    assert city.source == LISBON.source
    assert await filled.episodes.all() == [REAL]
    assert await find_misfiled(filled) == []


async def test_a_move_can_be_undone_exactly(filled):
    entries = await move_misfiled(filled, await find_misfiled(filled), NOON)
    for entry in entries:
        await undo(filled, entry, None, NOON)

    facts = {each.id: each for each in await filled.facts.all()}
    episodes = {each.id: each for each in await filled.episodes.all()}
    assert facts == {"fact-1": DECIDED, "fact-2": SAVING}
    assert episodes == {"ep-city": LISBON, "ep-real": REAL}


async def test_a_fact_that_is_known_is_only_verified(filled):
    known = a_fact(value="Lisbon", attribute="city", key="profile:city")
    await filled.commit(await filled.facts.puts([known], NOON))
    await move_misfiled(filled, await find_misfiled(filled), NOON)

    assert (await filled.facts.get("profile:city")).history == ()
