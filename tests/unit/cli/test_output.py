import sys

import pytest

from memory_graph.cli.output import Presenter, RichPresenter, open_presenter

ROWS = [("a", "Luna is [4]"), ("bb", "")]


def test_plain_tables_are_aligned_and_cut_nothing_off(capsys):
    Presenter().table("Facts", ("id", "statement"), ROWS)

    assert capsys.readouterr().out == ("Facts (2)\n  id  statement\n  a   Luna is [4]\n  bb\n")


def test_rich_tables_show_brackets_as_they_are(capsys):
    console = pytest.importorskip("rich.console")

    RichPresenter(console=console.Console(width=60)).table("Facts", ("id", "statement"), ROWS)

    out = capsys.readouterr().out
    assert "Facts (2)" in out
    assert "Luna is [4]" in out


def test_a_pipe_and_json_get_plain_text(monkeypatch):
    assert type(open_presenter(as_json=False)) is Presenter
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert open_presenter(as_json=True) == Presenter(as_json=True)


def test_a_terminal_without_rich_gets_plain_text(monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setitem(sys.modules, "rich.console", None)

    assert type(open_presenter(as_json=False)) is Presenter


def test_a_terminal_with_rich_gets_colour(monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)

    assert isinstance(open_presenter(as_json=False), RichPresenter)


@pytest.mark.parametrize(
    ("typed", "agreed"), [("y\n", True), ("YES\n", True), ("\n", False), ("", False)]
)
def test_only_a_yes_confirms(monkeypatch, capsys, typed, agreed):
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO(typed))

    assert Presenter().confirm("Forget it?") is agreed
    assert capsys.readouterr().out == "Forget it? [y/N] "
