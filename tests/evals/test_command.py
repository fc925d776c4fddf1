"""`python -m evals`, as somebody types it."""

import json
import shlex

import pytest

from evals.__main__ import evals, main


@pytest.mark.parametrize("command", evals.commands.values(), ids=lambda each: each.name)
def test_every_command_has_an_example_that_parses(command) -> None:
    _, _, example = command.epilog.partition(f"python -m evals {command.name}")

    assert command.help
    assert command.make_context(command.name, shlex.split(example)).command is command


def test_the_suites_are_listed_with_their_promises(capsys) -> None:
    assert main(["list", "--json"]) == 0

    assert {"suite", "tier", "promise"} <= json.loads(capsys.readouterr().out)[0].keys()


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["run", "--suite", "nonsense"], "Unknown suite 'nonsense'; choose from gate, extraction"),
        (["tune", "--what", "nonsense"], "Unknown task 'nonsense'; choose from ranking"),
    ],
    ids=["suite", "task"],
)
def test_an_unknown_name_is_answered_with_the_known_ones(capsys, argv, message) -> None:
    assert main(argv) == 2

    assert f"python -m evals: {message}" in capsys.readouterr().err
