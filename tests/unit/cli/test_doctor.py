import pytest


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


def test_a_key_is_never_printed(run, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-do-not-print")
    monkeypatch.setenv("MEMORY_GRAPH_MODEL", "gpt-none")

    ran = run("doctor")

    assert "gpt-none at https://api.openai.com/v1, key set" in ran.out
    assert "sk-do-not-print" not in ran.out + ran.err


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
