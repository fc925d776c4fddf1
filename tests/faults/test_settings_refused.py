"""Settings that make no sense are refused, by the name of the variable that holds them."""

import os
import subprocess
import sys

import pytest
from langgraph.graph import START, StateGraph
from langgraph.store.memory import InMemoryStore

from memory_graph import add_memory, build_graph
from memory_graph.errors import ConfigurationError
from memory_graph.middleware import MemoryMiddleware
from memory_graph.settings import get_settings
from memory_graph.state import State

NONSENSE = [
    ("MEMORY_GRAPH_TIME_ZONE", "Mars/Phobos"),
    ("MEMORY_GRAPH_TIME_ZONE", "../etc/passwd"),
    ("MEMORY_EPISODE_TIMEOUT_S", "inf"),
    ("MEMORY_EPISODE_BUDGET_USD", "0"),
    ("MEMORY_EXTRACTION_BUDGET_USD", "0"),
    ("MEMORY_GRAPH_MODEL_TIMEOUT_S", "nan"),
    ("OPENAI_BASE_URL", "not an address"),
    ("OPENAI_BASE_URL", "ftp://host"),
    ("MEMORY_SEM_AUTO_BY_CATEGORY", "weather=0.9"),
    ("MEMORY_SEM_LOW_BY_CATEGORY", "health=0.99"),
    ("MEMORY_SEM_LOW", "0.95"),
    ("MEMORY_GRAPH_MCP_TOKENS", "TOKEN"),
    ("MEMORY_GRAPH_MCP_TOKENS", "ana=t0ken,=TWO"),
    ("MEMORY_RERANK_WEIGHTS", "nope=1"),
    ("MEMORY_RERANK_WEIGHTS", "lexical=inf"),
    ("MEMORY_GRAPH_INDEX_MAX_ITEMS", "0"),
    ("MEMORY_GRAPH_SETTINGS", "nowhere.yaml"),
]


@pytest.mark.parametrize(("name", "value"), NONSENSE)
def test_nonsense_is_refused_by_name(monkeypatch, name, value):
    monkeypatch.setenv(name, value)

    with pytest.raises(ConfigurationError) as refused:
        get_settings()

    assert name in str(refused.value)
    assert "MEMORY_GRAPH_ADMISSION_ENABLED" not in str(refused.value)
    assert "('" not in str(refused.value)
    assert "t0ken" not in str(refused.value)


def test_an_unknown_weight_is_named_with_those_that_exist(monkeypatch):
    monkeypatch.setenv("MEMORY_RERANK_WEIGHTS", "similarty=1")

    with pytest.raises(ConfigurationError, match=r"RERANK_WEIGHTS.*'similarty'.*lexical, vector"):
        get_settings()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("limits: {store_read_timeout_s: -1}", r"`limits.store_read_timeout_s` \(settings file\)"),
        ("limits: {store_timeout_s: 1}", "no 'store_timeout_s'; there are: episode_characters, "),
        ("recall: {weak_min: 0.9}", r"`recall`.*`weak_min` \(0.9\) may not be above `found_min`"),
        ("recal: {topk: 3}", "no 'recal'; there are: store, "),
        ("admission: {auto: high}", "`MEMORY_SEM_AUTO`"),
        ("- recall", "has to hold names and values"),
        ("recall: {", "cannot be read"),
    ],
)
def test_nonsense_in_the_settings_file_is_refused_by_its_place(
    monkeypatch, tmp_path, text, complaint
):
    (tmp_path / "settings.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("MEMORY_GRAPH_SETTINGS", "settings.yaml")

    with pytest.raises(ConfigurationError, match=complaint):
        get_settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MEMORY_GRAPH_TIME_ZONE", "Europe/Lisbon"),
        ("OPENAI_BASE_URL", "http://localhost:8000/v1"),
        ("MEMORY_SEM_AUTO_BY_CATEGORY", "health=0.95"),
        ("MEMORY_GRAPH_MCP_TOKENS", "ana=ONE, ben=TWO"),
    ],
)
def test_what_makes_sense_is_taken(monkeypatch, name, value):
    monkeypatch.setenv(name, value)

    assert get_settings()


def test_a_terminal_without_utf_8_costs_no_command(tmp_path):
    code = (
        "from memory_graph.cli import main; import sys;"
        "sys.exit(main(['memories', 'import', 'in.jsonl', '--store', 'sqlite:m.sqlite'])"
        " or main(['memories', 'list', '--store', 'sqlite:m.sqlite']))"
    )
    from tests.conftest import NOON  # noqa: F401 — the project is on the path
    from tests.examples import a_fact

    fact = a_fact("profile:city", "The user lives in Łódź — 東京.")
    (tmp_path / "in.jsonl").write_text(
        '{"kind": "fact", ' + fact.model_dump_json()[1:], encoding="utf-8"
    )
    plain = {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "HOME": str(tmp_path)}
    root = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": root, **plain},
        capture_output=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert b"lives in" in done.stdout


@pytest.mark.parametrize(
    ("name", "value"), [("MEMORY_SEM_AUTO", "0.5"), ("MEMORY_SEM_LOW_BY_CATEGORY", "weather=0.5")]
)
def test_a_graph_is_not_built_on_settings_that_make_no_sense(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    get_settings.cache_clear()

    with pytest.raises(ConfigurationError, match="MEMORY_SEM"):
        build_graph(store=InMemoryStore())
    with pytest.raises(ConfigurationError, match="MEMORY_SEM"):
        add_memory(a_graph())
    with pytest.raises(ConfigurationError, match="MEMORY_SEM"):
        MemoryMiddleware()


def a_graph():
    builder = StateGraph(State)
    builder.add_node("agent", lambda state: {})
    builder.add_edge(START, "agent")
    return builder
