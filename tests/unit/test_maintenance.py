from datetime import timedelta

import pytest

from memory_graph.context import Context
from memory_graph.errors import NoUserError
from memory_graph.maintenance import build_maintenance, graph
from memory_graph.records import Decision
from memory_graph.storage.scope import Owner, memory_of
from tests.examples import NOON, an_episode


@pytest.fixture
async def memory(store):
    memory = memory_of(Owner("ana"), store)
    old = an_episode("ep-old", ended_at=NOON - timedelta(days=200))
    await memory.commit(await memory.episodes.puts([old], NOON))
    return memory


async def test_a_run_says_what_it_would_do_and_does_nothing(store, memory, now):
    result = await build_maintenance(store).ainvoke({}, context=Context(user_id="ana"))

    assert [each["reason"] for each in result["memory_decisions"]] == ["old"]
    assert (await memory.episodes.get("ep-old")).status == "summarized"
    assert await memory.ledger.recent() == []


async def test_an_applied_run_changes_it_and_leaves_a_ledger_entry(store, memory, now):
    maintenance = build_maintenance(store)
    await maintenance.ainvoke({"apply": True}, context=Context(user_id="ana"))

    assert (await memory.episodes.get("ep-old")).status == "archived"
    [entry] = await memory.ledger.recent()
    assert entry.decisions[0].before["status"] == "summarized"
    again = await maintenance.ainvoke({"apply": True}, context=Context(user_id="ana"))
    assert again["memory_decisions"] == []


async def test_patterns_are_learnt_only_where_that_is_switched_on(store, memory, now):
    choice = Decision(
        id="d001", context="tests are flaky", chosen="retry the job once", outcome="success"
    )
    told = [
        an_episode(
            f"ep-{n}",
            f"nightly build of {name}",
            summary=f"The build of {name} passed after a second try.",
            outcome="success",
            decisions=(choice,),
            ended_at=NOON - timedelta(days=n),
        )
        for n, name in enumerate(("billing", "search", "the website", "invoices"))
    ]
    await memory.commit(await memory.episodes.puts(told, NOON))
    maintenance = build_maintenance(store)

    await maintenance.ainvoke({"apply": True}, context=Context(user_id="ana"))
    assert await memory.patterns.all() == []

    learning = Context(user_id="ana", learning={"enabled": True})
    await maintenance.ainvoke({"apply": True}, context=learning)
    assert {pattern.status for pattern in await memory.patterns.all()} == {"proposed"}


async def test_nobody_is_looked_after_without_a_user(store):
    with pytest.raises(NoUserError):
        await build_maintenance(store).ainvoke({"apply": True}, context=Context())


def test_the_graph_for_the_server_has_no_store_of_its_own():
    assert graph.store is None
