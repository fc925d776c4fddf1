import shlex
import subprocess
import sys

import pytest

from memory_graph.cli.commands import COMMANDS, build_parser

EVERY = build_parser([command.name for command in COMMANDS])


def leaves(command):
    """Yield every command that runs something, as it is typed."""
    nested = [each for each in command._actions if hasattr(each.choices, "items")]
    subcommands = [
        sub for each in nested if each.dest == "==SUPPRESS==" for sub in each.choices.values()
    ]
    if not subcommands:
        yield command
    for sub in subcommands:
        yield from leaves(sub)


@pytest.mark.parametrize("command", list(leaves(EVERY)), ids=lambda each: each.prog)
def test_every_command_helps_with_an_example_that_parses(run, command):
    ran = run(*command.prog.split()[1:], "--help")

    assert ran.code == 0
    assert f"example: {command.epilog.removeprefix('example: ')}" in ran.out
    _, _, example = command.epilog.partition("memory-graph ")
    assert EVERY.parse_args(shlex.split(example)).run is command.get_default("run")


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


def test_every_group_defines_exactly_the_commands_that_are_listed():
    listed = {command.module: set() for command in COMMANDS}
    for command in COMMANDS:
        listed[command.module].add(command.name)

    assert {command.module: set(command.load().commands) for command in COMMANDS} == listed


def test_options_may_stand_before_the_command(run):
    ran = run("--json", "--log-level", "ERROR", "memories", "list")

    assert ran.json == []


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["turns", "--limit", "-3"], "--limit: -3 is not a whole number from 1 on"),
        (["memories", "search", "cat", "--limit", "0"], "--limit: 0 is not a whole number from 1"),
        (["inspect", "--port", "99999"], "--port: 99999 is not a whole number from 0 to 65535"),
        (["mcp", "--port", "many"], "--port: many is not a whole number from 0 to 65535"),
    ],
)
def test_a_number_out_of_range_is_refused(run, argv, told):
    ran = run(*argv)

    assert ran.code == 2
    assert f"argument {told}" in ran.err


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
