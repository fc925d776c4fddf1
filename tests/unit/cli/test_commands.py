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
