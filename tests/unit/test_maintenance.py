import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
from datetime import timedelta
from pathlib import Path

import pytest
from langgraph.runtime import Runtime, ServerInfo
from langgraph.store.sqlite import SqliteStore

from memory_graph.context import Context
from memory_graph.curation.validate import validate_memory
from memory_graph.errors import ConfigurationError, NoUserError
from memory_graph.maintenance import build_maintenance, check_may_sweep, graph, sweep
from memory_graph.records import Decision, Observation
from memory_graph.settings import get_settings
from memory_graph.store.gateway import open_gateway
from memory_graph.store.labels import labels_of
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from tests.configured import configure
from tests.examples import NOON, a_pattern, an_episode


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


async def test_a_pattern_keeps_its_evidence_when_a_duplicate_is_taken_in(store, memory, now):
    twins = [an_episode("ep-a", ended_at=NOON), an_episode("ep-b", ended_at=NOON)]
    seen = [
        Observation(id=f"o{each.id}", episode_id=each.id, at=NOON, success=True) for each in twins
    ]
    pattern = a_pattern("retry", evidence=tuple(seen), successes=2, occurrences=2)
    await memory.commit(
        [
            *await memory.episodes.puts(twins, NOON),
            *await memory.patterns.changes(None, pattern, NOON),
        ]
    )

    await build_maintenance(store).ainvoke({"apply": True}, context=Context(user_id="ana"))

    [kept] = {each.id for each in await memory.episodes.all()} - {"ep-old"}
    [pattern] = await memory.patterns.all()
    assert {each.episode_id for each in pattern.evidence} == {kept}
    assert (await validate_memory(memory)).is_sound


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


ROOT = Path(__file__).parents[2]


async def old_episodes(store, *users: str) -> None:
    for user in users:
        memory = memory_of(Owner(user), store)
        old = an_episode("ep-old", ended_at=NOON - timedelta(days=200))
        await memory.commit(await memory.episodes.puts([old], NOON))


async def statuses(store, users) -> list[str]:
    return [(await memory_of(Owner(user), store).episodes.get("ep-old")).status for user in users]


async def test_everybody_is_looked_after_in_one_run(store, now):
    users = ["ana", "ben@example.com", "long" * 60]
    await old_episodes(store, *users)
    maintenance = build_maintenance(store)

    dry = await maintenance.ainvoke({"all_users": True})
    assert set(await statuses(store, users)) == {"summarized"}
    done = await maintenance.ainvoke({"all_users": True, "apply": True})

    assert dry["memory_sweep"] == done["memory_sweep"]
    assert done["memory_sweep"] == {
        "users": 3,
        "failed": 0,
        "remaining": 0,
        "changes": {"old": 3},
    }
    assert set(await statuses(store, users)) == {"archived"}


async def test_a_run_is_bounded_and_the_next_goes_on(store, now, monkeypatch):
    configure(monkeypatch, upkeep={"users_per_run": 2})
    users = ["a", "b", "c", "d", "e"]
    await old_episodes(store, *users)

    runs = [await sweep(store, Context(), apply=True) for _ in range(3)]

    assert [(each["users"], each["remaining"]) for each in runs] == [(2, 3), (2, 1), (1, 0)]
    assert set(await statuses(store, users)) == {"archived"}


async def test_a_user_whose_memory_fails_is_counted_and_the_others_go_on(store, now):
    users = ["a", "b", "c"]
    await old_episodes(store, *users)
    await store.aput(("memories", "b", "episodes"), "broken", {"nonsense": True})

    swept = await sweep(store, Context(), apply=True)

    assert swept["users"] == 3
    assert swept["failed"] in {0, 1}  # a record that cannot be read may be left alone
    assert await statuses(store, ["a", "c"]) == ["archived", "archived"]


class Person:
    identity = "ana"

    def __init__(self, *permissions: str) -> None:
        self.permissions = permissions


@pytest.mark.parametrize(
    ("user", "trusted", "may"),
    [
        (None, "false", False),
        (None, "true", True),
        (Person(), "true", False),
        (Person("memory:act_as"), "false", True),
    ],
)
def test_only_who_may_act_for_others_looks_after_everybody(monkeypatch, user, trusted, may):
    monkeypatch.setenv("MEMORY_GRAPH_TRUST_CLIENT_USER_ID", trusted)
    get_settings.cache_clear()
    run = Runtime(server_info=ServerInfo(assistant_id="", graph_id="", user=user))

    if may:
        check_may_sweep(run, get_settings())
    else:
        with pytest.raises(ConfigurationError, match="memory:act_as"):
            check_may_sweep(run, get_settings())


SWEEP = """
import asyncio, sys
from langgraph.store.sqlite.aio import AsyncSqliteStore
from memory_graph.context import Context
from memory_graph.curation.validate import validate_memory
from memory_graph.maintenance import sweep

async def main():
    async with AsyncSqliteStore.from_conn_string(sys.argv[1]) as store:
        print(await sweep(store, Context(), apply=True))

asyncio.run(main())
"""


@pytest.mark.server
def test_a_run_over_many_users_that_is_killed_is_finished_by_the_next(tmp_path):
    path = str(tmp_path / "memory.sqlite")
    users = [f"user-{number:04}" for number in range(300)]
    with SqliteStore.from_conn_string(path) as store:
        store.setup()
        asyncio.run(old_episodes(store, *users))
        command = [sys.executable, "-c", textwrap.dedent(SWEEP), path]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}

        killed = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 240
        while not store.get(("memory_graph", "maintenance"), "sweep"):
            assert time.monotonic() < deadline
            assert killed.poll() is None
            time.sleep(0.05)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert asyncio.run(statuses(store, users[-1:])) == ["summarized"]

        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=400
        )

        assert done.returncode == 0, done.stderr
        assert "'remaining': 0" in done.stdout
        assert "'failed': 0" in done.stdout
        assert "'users': 300" not in done.stdout, "it began anew"
        assert len(asyncio.run(labels_of(open_gateway(store, get_settings())))) == 300
        assert set(asyncio.run(statuses(store, users))) == {"archived"}
