import sys

from memory_graph.cli.output import Presenter

ROWS = [("a", "Luna is [4]"), ("bb", "")]


def test_plain_tables_are_aligned_and_cut_nothing_off(capsys):
    Presenter().table("Facts", ("id", "statement"), ROWS)

    assert capsys.readouterr().out == ("Facts (2)\n  id  statement\n  a   Luna is [4]\n  bb\n")


def test_a_pipe_gets_plain_text_and_a_terminal_colour(monkeypatch, capsys):
    Presenter().line("done", "good")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    Presenter().line("done", "good")

    assert capsys.readouterr().out == "done\n\x1b[32mdone\n\x1b[0m"


def test_a_table_is_folded_to_the_width_of_the_terminal(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    Presenter().table("Facts", ("id", "statement"), [("a", "My cat Luna is 4 years old now.")])

    lines = capsys.readouterr().out.splitlines()
    assert lines[2:] == ["  a   My cat Luna is 4 years", "      old now."]


def test_no_color_is_honoured(monkeypatch, capsys):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    Presenter().line("done", "bad")

    assert capsys.readouterr().out == "done\n"
