"""A client of a server tightens masking, quotas and limits; only its operator loosens them."""

from types import SimpleNamespace

from memory_graph.context import _LESS, _MORE, Context, Policies, tightened
from memory_graph.policies import meanings
from memory_graph.records import SECRET_KINDS
from memory_graph.settings import get_settings
from memory_graph.store.owner import run_context

LOOSE = {
    "user_id": "ana",
    "policies": {"admission": {"sensitive": []}, "capture": {"max_per_day": 9}},
}


def run_of(context, server_info):
    return SimpleNamespace(context=context, store=None, server_info=server_info)


def test_what_a_client_sends_is_tightened_and_what_code_says_holds():
    client, code = (
        run_context(run_of(Context(**LOOSE), each)) for each in (SimpleNamespace(user=None), None)
    )

    assert set(client.policies.admission.sensitive) == set(SECRET_KINDS)
    assert (client.policies.capture.max_per_day, code.policies.capture.max_per_day) == (5, 9)


def test_the_operator_names_the_policies_that_clients_may_loosen(monkeypatch):
    monkeypatch.setenv("MEMORY_GRAPH_CLIENT_POLICIES", "capture")
    get_settings.cache_clear()

    context = run_context(run_of(Context(**LOOSE), SimpleNamespace(user=None)))

    assert context.policies.capture.max_per_day == 9
    assert set(context.policies.admission.sensitive) == set(SECRET_KINDS)


def test_a_client_can_only_tighten_masking_quotas_and_limits():
    asked = Context(
        admission={"sensitive": (), "max_facts": 50, "auto": 0.8},
        capture={"max_per_day": 1000, "cooldown_turns": 0, "notability_min": 0.4},
        recall={"token_budget": 100_000, "topn": 1},
        verbatim={"max_characters": 1_000_000, "enabled": False},
    ).policies

    got = tightened(asked, ())

    assert set(got.admission.sensitive) == set(SECRET_KINDS)
    assert (got.admission.max_facts, got.admission.auto) == (12, 0.8)
    assert (got.capture.max_per_day, got.capture.cooldown_turns) == (5, 3)
    assert (got.recall.token_budget, got.recall.topn) == (1200, 1)
    assert (got.verbatim.max_characters, got.verbatim.enabled) == (4000, False)


def test_an_operator_may_let_clients_loosen_some_policies():
    asked = Context(capture={"max_per_day": 9}, recall={"lines": 50}).policies

    got = tightened(asked, ("capture",))

    assert (got.capture.max_per_day, got.recall.lines) == (9, 6)
    assert tightened(asked, ("all",)) == asked


def test_every_limit_of_a_run_is_known_to_be_one():
    known = {
        f"{name}.{each}"
        for table in (_LESS, _MORE)
        for name in table
        for each in table[name].split()
    }
    limits = {
        f"{name}.{field}"
        for name in Policies.model_fields
        for field, text in meanings(type(getattr(Policies(), name))).items()
        if "A limit" in text
    }

    fields = {
        f"{name}.{each}"
        for name in Policies.model_fields
        for each in type(getattr(Policies(), name)).model_fields
    }
    assert known <= fields
    assert limits - known <= {
        "capture.merge_window_hours",  # how episodes are joined, not how many
        "recall.bears_share",  # which lines bear on a message, not how many
        "capture.parent_window_hours",
    }
