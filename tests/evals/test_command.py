"""`python -m evals`, as somebody types it."""

import json

import pytest

from evals.__main__ import build_parser, main


def leaves():
    [actions] = [each for each in build_parser()._actions if hasattr(each.choices, "items")]
    return actions.choices.values()


@pytest.mark.parametrize("command", leaves(), ids=lambda each: each.prog.split()[-1])
def test_every_command_has_an_example_that_parses(command) -> None:
    _, _, example = command.epilog.partition("python -m evals ")

    assert command.description
    assert build_parser().parse_args(example.split()).run is command.get_default("run")


def test_the_suites_are_listed_with_their_promises(capsys) -> None:
    assert main(["list", "--json"]) == 0

    assert {"suite", "tier", "promise"} <= json.loads(capsys.readouterr().out)[0].keys()


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["run", "--suite", "nonsense"], "Unknown suite 'nonsense'; choose from gate, extraction"),
        (["tune", "--what", "nonsense"], "Unknown task 'nonsense'; choose from auto"),
    ],
    ids=["suite", "task"],
)
def test_an_unknown_name_is_answered_with_the_known_ones(capsys, argv, message) -> None:
    assert main(argv) == 2

    assert f"python -m evals: {message}" in capsys.readouterr().err
