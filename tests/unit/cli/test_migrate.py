import asyncio

import pytest

from memory_graph.cli.output import Presenter
from memory_graph.cli.session import Session
from tests.examples import NOON, an_episode


@pytest.fixture
def misfiled():
    async def fill():
        async with Session(Presenter(), user="ana").open_user() as memory:
            episode = an_episode("ep-city", summary="The user lives in Lisbon.")
            await memory.commit(await memory.episodes.puts([episode], NOON))

    asyncio.run(fill())


def test_a_dry_run_shows_and_changes_nothing(run, misfiled):
    shown = run("migrate", "misfiled", "--user", "ana")

    assert shown.code == 0
    assert "ep-city is a fact: The user lives in Lisbon." in shown.out
    assert "--apply" in shown.out
    assert run("migrate", "misfiled", "--user", "ana", "--json").json[0]["id"] == "ep-city"


def test_what_was_moved_can_be_undone_by_the_name_that_is_shown(run, misfiled):
    moved = run("migrate", "misfiled", "--user", "ana", "--apply")
    assert "Misfiled: 0" in run("migrate", "misfiled", "--user", "ana").out

    entry = moved.out.rpartition("Undo with: ")[2].strip().rstrip(".")
    assert run("memories", "undo", entry, "--user", "ana").code == 0
    assert "ep-city" in run("migrate", "misfiled", "--user", "ana").out
