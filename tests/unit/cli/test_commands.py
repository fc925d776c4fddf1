import shlex
import subprocess
import sys
from importlib import import_module
from typing import get_args

import pytest

from memory_graph import records
from memory_graph.cli.commands import COMMANDS, build_parser

EVERY = build_parser()


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


def test_every_module_defines_exactly_the_commands_that_are_declared():
    declared = {}
    for typed, command in COMMANDS.items():
        first, _, action = typed.partition(" ")
        if not any(other.startswith(f"{typed} ") for other in COMMANDS):
            module = command.get("module") or COMMANDS[first]["module"]
            declared.setdefault(module, set()).add(f"run_{action or first}".replace("-", "_"))
    defined = {
        name: {
            each for each in vars(import_module(f"memory_graph.cli.{name}")) if _runs(name, each)
        }
        for name in declared
    }

    assert defined == declared


def _runs(module, name):
    found = getattr(import_module(f"memory_graph.cli.{module}"), name)
    return name.startswith("run_") and found.__module__ == f"memory_graph.cli.{module}"


@pytest.mark.parametrize(
    ("typed", "option", "kind"),
    [
        ("memories list", "--category", records.FactCategory),
        ("episodes list", "--outcome", records.Outcome),
        ("episodes add", "--outcome", records.Outcome),
        ("patterns list", "--status", records.PatternStatus),
    ],
)
def test_an_option_offers_every_value_that_a_record_may_have(typed, option, kind):
    [command] = [each for each in leaves(EVERY) if each.prog == f"memory-graph {typed}"]
    [action] = [each for each in command._actions if option in each.option_strings]

    assert tuple(action.choices) == get_args(kind)


def test_options_may_stand_before_the_command(run):
    ran = run("--json", "--log-level", "ERROR", "memories", "list")

    assert ran.json == []
