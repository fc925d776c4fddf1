"""A page on the web that points its own name to this machine reads nothing and erases nothing."""

import pytest
from langgraph.store.memory import InMemoryStore
from starlette.testclient import TestClient

from memory_graph.server import operations
from memory_graph.server.app import app
from memory_graph.server.host import is_local
from memory_graph.settings import get_settings

LOCAL = [
    "localhost:2024",
    "127.0.0.1:2024",
    "[::1]:2024",
    "192.168.0.7",
    "memory:8000",
    "nas.local",
]
OF_OTHERS = [
    "evil.example:2024",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "",
    "a b.com",
    "évil.com",
]


@pytest.mark.parametrize("host", LOCAL)
def test_local_names_and_addresses_are_answered(host):
    assert is_local(host)


@pytest.mark.parametrize("host", OF_OTHERS)
def test_names_of_the_web_are_not(host):
    assert not is_local(host)


def configure(monkeypatch, **variables):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    get_settings.cache_clear()


def asked(monkeypatch, host, method="GET", path="/memory/health", **headers):
    monkeypatch.setattr(operations, "server_store", InMemoryStore)
    client = TestClient(app, base_url="http://localhost")
    return client.request(method, path, headers={"host": host, **headers})


@pytest.mark.parametrize(
    "trusting", [{"LANGSMITH_LANGGRAPH_API_VARIANT": "local_dev"}, {"MEMORY_GRAPH_USER": "ana"}]
)
def test_a_server_that_believes_its_clients_answers_under_local_names_only(monkeypatch, trusting):
    configure(monkeypatch, **trusting)

    assert asked(monkeypatch, "localhost:2024").status_code == 200
    for method, path in (("GET", "/memory/export"), ("DELETE", "/memory?everything=true")):
        refused = asked(monkeypatch, "evil.example:2024", method, path)
        assert refused.status_code == 403
        assert "MEMORY_GRAPH_TRUST_CLIENT_USER_ID" in refused.json()["detail"]


def test_where_the_operator_says_whom_to_trust_every_name_is_answered(monkeypatch):
    configure(
        monkeypatch,
        LANGSMITH_LANGGRAPH_API_VARIANT="local_dev",
        MEMORY_GRAPH_TRUST_CLIENT_USER_ID="true",
    )

    assert asked(monkeypatch, "memory.example").status_code == 200


@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded"])
def test_a_post_without_a_body_is_marked_as_json_too(monkeypatch, kind):
    configure(monkeypatch, LANGSMITH_LANGGRAPH_API_VARIANT="local_dev")
    headers = {"content-type": kind} if kind else {}

    refused = asked(monkeypatch, "localhost", "POST", "/memory/undo?user=ana", **headers)

    assert refused.status_code == 415
