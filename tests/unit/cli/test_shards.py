"""`shards`: count users, move them, and say how to go on after an interruption."""

import sys

import pytest

from memory_graph.store.backends import sharded
from memory_graph.store.backends.sharded import ShardedStore
from memory_graph.store.scope import id_under, user_label


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(sharded, "FRESHNESS_S", 0.0)
    settle = sharded._settle
    monkeypatch.setattr(sharded, "_settle", lambda store, places, _: settle(store, places, 0.0))


@pytest.fixture
def store(tmp_path):
    return (
        "--store",
        f"sharded:a=sqlite:{tmp_path / 'a.sqlite'} b=sqlite:{tmp_path / 'b.sqlite'}",
    )


@pytest.fixture
def ben(run, store):
    """Ben, who has one memory; the names of his shard and of the other."""
    run("memories", "add", "I live in Lisbon.", "--user", "ben", *store)
    home = ShardedStore({"a": None, "b": None}).home_of("ben")
    return home, "a" if home == "b" else "b"


@pytest.fixture
def half_moved(run, store, ben, monkeypatch):
    """A move of Ben that Ctrl-C ended when he was on both shards."""

    async def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(sharded, "_bring_along", interrupted)
        settle = sharded._settle

        async def once(store, places, seconds):
            if all(place.also is None for place in places.values()):
                raise KeyboardInterrupt
            await settle(store, places, seconds)

        patched.setattr(sharded, "_settle", once)
        return run("shards", "move", "--user", "ben", "--to", ben[1], *store)


def test_an_interrupted_move_says_how_to_go_on(half_moved, ben):
    assert half_moved.code == 130
    assert f"memory-graph shards move --user ben --to {ben[1]}" in half_moved.err
    assert len(half_moved.err.splitlines()) == 1


def test_a_user_on_the_move_is_counted_once_and_named_with_what_finishes(
    run, store, half_moved, ben
):
    _, new = ben
    listed = run("shards", "list", *store)
    assert "1 user being moved" in listed.err
    command = f"memory-graph shards move --user ben --to {new}"
    assert command in listed.err
    assert sum(run("shards", "list", "--json", *store).json.values()) == 1

    assert run(*command.split()[1:], *store).code == 0

    after = run("shards", "list", *store)
    assert after.err == ""
    assert f"{new}: 1 user" in after.out


def test_somebody_without_memories_is_not_moved(run, store, ben):
    refused = run("shards", "move", "--user", "nobody", "--to", "b", *store)

    assert refused.code == 1
    assert "nobody" in refused.err
    assert run("shards", "move", "--to", "b", *store).code == 2


def test_an_erased_user_is_not_counted_and_not_moved(run, store, half_moved, ben):
    run("memories", "forget", "--all", "--yes", "--user", "ben", *store)

    listed = run("shards", "list", "--json", *store)
    assert listed.json == {"a": 0, "b": 0}
    assert listed.err == ""
    assert run("shards", "move", "--user", "ben", "--to", ben[1], *store).code == 1


def test_moves_show_progress_on_a_terminal(run, store, ben, monkeypatch):
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda _: True, raising=False)

    moved = run("shards", "move", "--user", "ben", "--to", ben[1], *store)
    spread = run("shards", "spread", *store)

    assert "Moving: 5 of 5\n" in moved.err
    assert "Users: 1 of 1\n" in spread.err
    assert "Moved 1 user." in spread.out


def test_an_interrupted_spread_says_how_to_go_on(run, store, ben, monkeypatch):
    async def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(sharded, "spread", interrupted)
    stopped = run("shards", "spread", *store)

    assert stopped.code == 130
    assert "`memory-graph shards spread` goes on with it" in stopped.err


def test_the_help_names_sharded_stores(run):
    assert "sharded:" in run("shards", "list", "--help").out


@pytest.mark.parametrize("name", ["ana", "ana@example.org", "Žofie Nová", "a=b%20~c"])
def test_a_label_tells_the_id_it_was_made_of(name):
    assert id_under(user_label(name)) == name
    assert id_under(user_label(name * 40)) in {name * 40, ""}
