import ast
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from memory_graph.cli import COMMANDS, memory_graph
from memory_graph.server.inspector import pages


def leaves(command, path):
    """Yield every command that runs something, with how it is typed."""
    if not isinstance(command, click.Group):
        yield path, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        yield from leaves(command.get_command(context, name), (*path, name))


EVERY = dict(leaves(memory_graph, ()))


@pytest.mark.parametrize("path", EVERY, ids=" ".join)
def test_every_command_helps_with_an_example_that_parses(run, path):
    command = EVERY[path]

    ran = run(*path, "--help")

    assert ran.code == 0
    assert " ".join(command.epilog.split()) in " ".join(ran.out.split())
    assert command.help
    _, _, example = command.epilog.partition(f"memory-graph {' '.join(path)}")
    assert command.make_context(path[-1], shlex.split(example)).command is command


def test_what_help_lists_is_what_the_commands_say():
    for name, listed in COMMANDS.items():
        [command] = [each for each in listed.module() if each.name == name]
        assert command.help.startswith(listed.summary)


@pytest.mark.server
def test_version_and_help_load_neither_graph_nor_store(pytestconfig):
    code = (
        "import sys\nfrom memory_graph.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "print(sorted({'langgraph', 'langchain_core', 'numpy', 'rich'} & sys.modules.keys()))"
    )

    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=pytestconfig.rootpath,
    )

    assert done.stdout.splitlines()[-1] == "[]"


def test_options_may_stand_before_the_command(run):
    ran = run("--json", "--log-level", "ERROR", "memories", "list")

    assert ran.json == []


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["memories", "search", "cat", "--limit", "0"], "'--limit': 0 is not in the range x>=1"),
        (["inspect", "--port", "99999"], "'--port': 99999 is not in the range 0<=x<=65535"),
        (["mcp", "--port", "many"], "'--port': 'many' is not a valid integer range"),
        (["memories", "listen"], "No such command 'listen'"),
    ],
)
def test_what_cannot_be_typed_is_refused(run, argv, message):
    ran = run(*argv)

    assert ran.code == 2
    assert message in ran.err


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (["memories", "import", "/nowhere/at.all"], 1),
        (["memories", "export", "/nowhere/at.all"], 1),
        (["migrate", "session-log", "/nowhere/at.all"], 1),
        (["migrate", "mem0", "/nowhere/at.all"], 2),
        (["tools", "call", "search_episodes", "@/nowhere/at.all"], 2),
    ],
)
def test_a_file_that_is_not_there_is_named_in_plain_words(run, argv, code):
    ran = run(*argv)

    assert ran.code == code
    assert ran.err == "memory-graph: /nowhere/at.all: No such file or directory.\n"


def test_what_a_person_left_out_is_said_without_the_kind_of_the_error(run, ana):
    ran = run("memories", "correct", "profile:name", "", "--user", "ana")

    assert (ran.code, ran.err) == (1, "memory-graph: Say in one sentence how it is now.\n")


def test_nothing_to_remember_is_said(run):
    ran = run("memories", "add", " ", "--user", "ana")

    assert ran.code == 2
    assert "There is no text to remember." in ran.err


def test_an_address_that_nobody_can_listen_on_is_said(run):
    pytest.importorskip("mcp")

    ran = run("mcp", "--transport", "http", "--host", "no.such.host.invalid")

    assert ran.code == 2
    assert "no.such.host.invalid:8765 cannot be listened on" in ran.err


def test_an_address_of_version_6_is_told_as_browsers_take_it(run, monkeypatch):
    pytest.importorskip("mcp")
    uvicorn = pytest.importorskip("uvicorn")

    async def stop(self, sockets):
        for each in sockets:
            each.close()

    monkeypatch.setattr(uvicorn.Server, "serve", stop)

    ran = run("mcp", "--transport", "http", "--host", "::1", "--port", "0")

    if "cannot be listened on" in ran.err:
        pytest.skip("this machine has no addresses of version 6")
    assert "http://[::1]:" in ran.out


def test_every_command_that_a_page_shows_can_be_typed():
    tree = ast.parse(Path(pages.__file__).read_text(encoding="utf-8"))
    given = [
        each.value
        for each in ast.walk(tree)
        if isinstance(each, ast.keyword) and each.arg == "command"
    ]
    shown = {
        tuple(part.value for part in each.elts if isinstance(part, ast.Constant))
        for value in given
        for each in ast.walk(value)
        if isinstance(each, ast.Tuple)
    }

    assert ("memories", "list") in shown
    assert {
        words for words in shown if not any(words[: len(path)] == path for path in EVERY)
    } == set()
