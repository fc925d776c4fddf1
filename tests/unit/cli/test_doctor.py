import asyncio
import json
import re
import signal

import pytest

from memory_graph.cli import INTERRUPTED
from memory_graph.settings import get_settings
from tests.openai_endpoint import failure, serving

pytestmark = pytest.mark.server


def by_name(ran):
    return {check["name"]: check for check in ran.json["checks"]}


def test_a_default_installation_is_not_broken(run):
    ran = run("doctor", "--json")

    checks = by_name(ran)
    assert ran.code == 0
    assert checks["store"]["status"] == "ok"
    assert checks["embedder"]["detail"].startswith("use, 512 dimensions")
    assert checks["model"]["status"] == "degraded"
    assert "MEMORY_GRAPH_MODEL" in checks["model"]["fix"]


@pytest.fixture
def endpoint(monkeypatch):
    with serving() as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-do-not-print")
        monkeypatch.setenv("MEMORY_GRAPH_MODEL", "small")
        get_settings.cache_clear()
        yield running


def test_a_model_is_asked_one_tiny_request_and_timed(run, endpoint):
    ran = run("doctor")

    assert re.search(r"small answered in \d+\.\d s", ran.out)
    [asked] = endpoint.requests
    assert (asked.get("max_tokens") or asked["max_completion_tokens"]) <= 16
    assert "sk-do-not-print" not in ran.out + ran.err


@pytest.mark.parametrize("status", [401, 404, 500])
def test_an_endpoint_that_refuses_is_broken_and_not_ok(run, endpoint, status):
    endpoint.answer = lambda request: failure(status)

    ran = run("doctor", "--json")

    [model] = [each for each in json.loads(ran.out)["checks"] if each["name"] == "model"]
    assert model["status"] == "broken"
    assert model["fix"]
    assert "sk-do-not-print" not in ran.out + ran.err


def test_an_endpoint_where_nobody_listens_is_broken(run, endpoint, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    get_settings.cache_clear()

    ran = run("doctor")

    assert "broken    model" in ran.out


@pytest.mark.parametrize("setting", ["MEMORY_EXTRACTION_MODEL", "MEMORY_EPISODE_MODEL"])
def test_a_model_for_memory_alone_is_asked_too(run, endpoint, monkeypatch, setting):
    monkeypatch.delenv("MEMORY_GRAPH_MODEL")
    monkeypatch.setenv(setting, "tiny")
    get_settings.cache_clear()
    endpoint.answer = lambda request: failure(500)

    ran = run("doctor")

    assert "broken    model" in ran.out
    assert "tiny" in ran.out


@pytest.mark.parametrize(
    ("name", "value", "broken"),
    [
        pytest.param("MEMORY_GRAPH_STORE", "sqlite:/dev/null/x", "store", id="no such folder"),
        pytest.param("MEMORY_GRAPH_EMBEDDER", "nonsense", "embedder", id="unknown embedder"),
        pytest.param("MEMORY_GRAPH_MODEL", "gpt-none", "model", id="a model without a key"),
    ],
)
def test_what_is_broken_is_named_with_a_fix_and_fails(run, monkeypatch, name, value, broken):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv(name, value)

    ran = run("doctor", "--json")

    assert ran.code == 1
    assert ran.json["status"] == "broken"
    assert by_name(ran)[broken]["status"] == "broken"
    assert by_name(ran)[broken]["fix"]


def test_a_setting_that_cannot_be_read_is_named(run, monkeypatch):
    monkeypatch.setenv("EPISODIC_COOLDOWN_TURNS", "many")

    ran = run("doctor")

    assert ran.code == 2
    assert "`EPISODIC_COOLDOWN_TURNS`" in ran.err


def test_unknown_variables_are_named_with_the_setting_that_was_meant(run, monkeypatch):
    monkeypatch.setenv("MEMORY_SEM_ATUO", "0.9")
    monkeypatch.setenv("EPISODIC_COOLDOWN_TURN", "2")
    monkeypatch.setenv("EPISODIC_XYZZY_QUUX_PLUGH", "1")
    monkeypatch.setenv("MEMORY_PRESSURE_WATCH", "/sys/fs/cgroup/memory.pressure")

    ran = run("doctor", "--json")

    settings = by_name(ran)["settings"]
    assert (ran.code, settings["status"]) == (0, "degraded")
    assert "MEMORY_SEM_ATUO: did you mean MEMORY_SEM_AUTO?" in settings["fix"]
    assert "did you mean EPISODIC_COOLDOWN_TURNS?" in settings["fix"]
    assert "EPISODIC_XYZZY_QUUX_PLUGH is not a setting any more" in settings["fix"]
    assert "MEMORY_PRESSURE_WATCH" not in settings["detail"] + settings["fix"]


def test_without_unknown_variables_the_settings_are_ok(run):
    assert by_name(run("doctor", "--json"))["settings"]["status"] == "ok"


def test_a_store_of_another_embedder_is_refused_until_it_is_reembedded(run, monkeypatch, ana):
    from memory_graph.settings import get_settings

    monkeypatch.setenv("MEMORY_GRAPH_EMBEDDER", "wordllama")
    get_settings.cache_clear()

    refused = run("memories", "list", "--user", "ana")
    run("reembed")
    found = run("memories", "search", "how old is the cat", "--user", "ana", "--json")

    assert refused.code == 2
    assert "memory-graph reembed" in refused.err
    assert found.json[0]["id"] == "profile:pet:luna:age"


def test_a_run_that_was_broken_off_says_what_goes_on_with_it(run, monkeypatch, ana):
    monkeypatch.setenv("MEMORY_GRAPH_EMBEDDER", "wordllama")
    get_settings.cache_clear()
    sleep = asyncio.sleep

    async def interrupted(seconds):
        await sleep(0)
        signal.raise_signal(signal.SIGINT)
        await sleep(1)

    monkeypatch.setattr("memory_graph.cli.admin.asyncio.sleep", interrupted)
    broken_off = run("reembed")
    monkeypatch.setattr("memory_graph.cli.admin.asyncio.sleep", sleep)
    refused = run("memories", "list", "--user", "ana")
    told = by_name(run("doctor", "--json"))["store"]

    assert broken_off.code == INTERRUPTED
    for said in (broken_off.err, refused.err):
        assert "`memory-graph reembed --missing`" in said
    assert "--missing" in told["fix"]
    assert run("reembed", "--missing").code == 0
    assert run("memories", "list", "--user", "ana").code == 0


def test_an_unknown_embedder_is_not_blamed_on_the_store(run, monkeypatch):
    monkeypatch.setenv("MEMORY_GRAPH_EMBEDDER", "nonsense")
    get_settings.cache_clear()

    checks = by_name(run("doctor", "--json"))

    assert checks["embedder"]["detail"].startswith("Unknown embedder 'nonsense'")
    assert checks["store"]["detail"] == "not opened without an embedder"
    assert "MEMORY_GRAPH_STORE" not in checks["store"]["fix"]
