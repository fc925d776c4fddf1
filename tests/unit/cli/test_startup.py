"""How commands begin: what they refuse, what they create, what they import, how wide they print."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def test_an_empty_user_is_refused(run):
    ran = run("memories", "list", "--user", " ")

    assert ran.code == 2
    assert "must not be empty" in ran.err


@pytest.mark.parametrize(
    "command",
    [
        ("memories", "list"),
        ("memories", "search", "cat"),
        ("memories", "pin", "x"),
        ("validate",),
        ("maintain", "--apply"),
    ],
    ids=" ".join,
)
def test_a_mistyped_store_is_not_created_by_looking_into_it(run, tmp_path, command):
    mistyped = tmp_path / "memroy.sqlite"

    ran = run(*command, "--store", f"sqlite:{mistyped}")

    assert ran.code == 2
    assert "There is no store at" in ran.err
    assert not mistyped.exists()


def test_a_conversation_may_begin_a_store(run, tmp_path):
    new = tmp_path / "new.sqlite"

    assert run("chat", "--store", f"sqlite:{new}", stdin="I live in Lisbon.\n").code == 0
    assert new.exists()


def test_what_commands_make_is_readable_by_its_owner_alone(run, ana, tmp_path):
    run("memories", "export", str(tmp_path / "out.jsonl"), "--user", "ana")
    run("notes", "export", str(tmp_path / "notes"), "--user", "ana")

    made = [path for path in tmp_path.rglob("*") if path.exists()]
    assert tmp_path / "memory.sqlite" in made
    assert tmp_path / "out.jsonl" in made
    assert [path for path in made if path.stat().st_mode & 0o077] == []


def test_search_tells_what_is_hardly_about_the_query(run, ana):
    run("chat", "--user", "ana", stdin="I live in Lisbon.\n")

    ran = run("memories", "search", "cat Luna", "--user", "ana")

    found, _, weak = ran.out.partition("Weak: hardly about this")
    assert "Luna" in found
    assert "Lisbon" in weak
    listed = run("memories", "search", "cat Luna", "--user", "ana", "--json").json
    assert {each["weak"] for each in listed} == {True, False}


@pytest.mark.server
def test_listing_memories_imports_no_tracing_and_no_client(tmp_path):
    code = (
        "import sys\n"
        "from memory_graph.cli import main\n"
        "main(['memories', 'list'])\n"
        "heavy = ('langsmith.client', 'langgraph_sdk', 'openai', 'langchain_core.tracers',\n"
        "         'langgraph.graph', 'rich')\n"
        "print([name for name in heavy if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


def test_everybody_is_maintained_at_once(run, ana):
    ran = run("maintain", "--all-users")

    assert "1 users, 0 failed, 0 remaining." in ran.out
    assert "Nothing was changed" in ran.out
    assert run("maintain", "--all-users", "--apply", "--json").json["users"] == 1


def test_a_postgres_that_does_not_answer_is_one_line(run):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        ran = run("memories", "list", "--store", f"postgresql://u:hunter2@127.0.0.1:{port}/db")

    assert ran.code == 1
    assert ran.err.startswith("memory-graph: Postgres cannot be reached: ")
    assert ran.err.count("\n") == 1
    assert "hunter2" not in ran.err


def test_an_interrupted_command_ends_without_a_traceback(run, monkeypatch):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("memory_graph.cli.session.configured_embedder", interrupted)

    ran = run("memories", "list")

    assert (ran.code, ran.out, ran.err.strip()) == (130, "", "")
