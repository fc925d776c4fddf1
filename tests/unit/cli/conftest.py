import io
import json
from dataclasses import dataclass

import pytest

from memory_graph.cli import main
from memory_graph.settings import get_settings


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture(autouse=True)
def fresh_settings(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMORY_GRAPH_STORE", f"sqlite:{tmp_path / 'memory.sqlite'}")
    monkeypatch.delenv("MEMORY_GRAPH_MODEL", raising=False)
    get_settings.cache_clear()
    yield
    get_settings.cache_clear()


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command in this process; `stdin` is what is piped into it."""

    def run(*argv, stdin=""):
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        try:
            code = main(argv)
        except SystemExit as exit_:
            code = exit_.code
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture
def ana(run):
    """Ana, whose cat turned 4."""
    run(
        "chat", "--user", "ana", stdin="Hi, I am Ana. My cat Luna is 3.\nLuna turned 4 yesterday!\n"
    )
