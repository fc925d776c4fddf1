import pytest


@pytest.mark.parametrize("command", [("eval", "list"), ("tune",)], ids=" ".join)
def test_outside_a_checkout_it_says_where_the_cases_are(run, command) -> None:
    ran = run(*command)

    assert ran.code == 2
    assert "inside a checkout" in ran.err


def test_within_a_checkout_it_lists_the_suites(run, monkeypatch, pytestconfig) -> None:
    monkeypatch.chdir(pytestconfig.rootpath / "tests")

    ran = run("eval", "list", "--json")

    assert ran.code == 0
    assert {"suite", "tier", "promise"} <= ran.json[0].keys()


def test_an_unknown_suite_is_answered_with_the_known_ones(run, monkeypatch, pytestconfig) -> None:
    monkeypatch.chdir(pytestconfig.rootpath)

    ran = run("eval", "run", "--suite", "nonsense")

    assert ran.code == 2
    assert "choose gate, extraction" in ran.err
