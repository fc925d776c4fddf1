"""Settings of a test that have no variable."""

import json
from pathlib import Path

import pytest

from memory_graph.settings import get_settings


def configure(monkeypatch: pytest.MonkeyPatch, **sections: dict[str, object]) -> None:
    """Let a settings file hold these numbers, as `limits={"ledger_max": 10}`, and read it."""
    file = Path.home() / "settings.json"
    file.write_text(json.dumps(sections), encoding="utf-8")
    monkeypatch.setenv("MEMORY_GRAPH_SETTINGS", str(file))
    get_settings.cache_clear()
