from memory_graph.tools.patterns import (
    confirm_pattern,
    get_proposed_patterns,
    query_patterns,
    reject_pattern,
)
from tests.examples import NOON, a_pattern

GUESS = a_pattern("renew-token", status="proposed", successes=3, occurrences=3)


async def keep(memory, *patterns):
    await memory.commit(await memory.patterns.puts(patterns, NOON))


async def test_a_proposal_counts_once_it_is_confirmed(call, memory):
    await keep(memory, GUESS)
    assert "renew-token" in await call(get_proposed_patterns)
    assert "No pattern is known" in await call(query_patterns)

    await call(confirm_pattern, name="Renew token")

    assert "renew-token" in await call(query_patterns)
    assert "No pattern waits" in await call(get_proposed_patterns)


async def test_a_rejected_proposal_is_gone_from_both_lists(call, memory):
    await keep(memory, GUESS)
    await call(reject_pattern, name="renew-token")

    assert "No pattern waits" in await call(get_proposed_patterns)
    assert "No pattern is known" in await call(query_patterns)


async def test_an_unknown_name_is_answered_in_words(call):
    assert "No pattern with id 'nope'" in await call(confirm_pattern, name="nope")
    assert "at least 1 character" in await call(reject_pattern, name="")


async def test_anothers_proposal_is_out_of_reach(call, memory):
    await keep(memory, GUESS)
    await call(confirm_pattern, user="bo", name="renew-token")

    assert (await memory.patterns.get("renew-token")).status == "proposed"
