from dataclasses import dataclass

import pytest

from memory_graph.context import Context, misspelt_user, read_context
from tests.configured import configure


@dataclass
class Theirs:
    user_id: str = "ana"
    model: str = "their-model"


@pytest.mark.parametrize(
    ("given", "configurable", "user_id"),
    [
        pytest.param(Context(user_id="ana"), {"user_id": "bob"}, "ana", id="our own context"),
        pytest.param(Theirs(), {}, "ana", id="somebody else's dataclass"),
        pytest.param({"user_id": "ana", "x": 1}, {}, "ana", id="a mapping with other keys"),
        pytest.param(None, {"user_id": "ana"}, "ana", id="configurable only"),
        pytest.param(Context(), {"user_id": "ana"}, "ana", id="our context without a user"),
        pytest.param(None, {"langgraph_user_id": "ana"}, "ana", id="as LangMem names the user"),
        pytest.param(
            None, {"user_id": "ana", "langgraph_user_id": "bob"}, "ana", id="ours before LangMem's"
        ),
        pytest.param(None, {}, None, id="nothing at all"),
        pytest.param({"user_id": 7}, {}, "7", id="a number, as databases give it"),
        pytest.param(None, {"user_id": 0}, "0", id="the number nought"),
        pytest.param({"user_id": True}, {}, None, id="not a user id"),
        pytest.param({"user_id": 7.5}, {}, None, id="no whole number"),
    ],
)
def test_reads_the_user_out_of_any_graphs_context(given, configurable, user_id) -> None:
    assert read_context(given, configurable).user_id == user_id


def test_another_graphs_model_is_not_ours() -> None:
    assert read_context(Theirs()).model is None


def test_options_may_come_in_a_mapping_of_our_own() -> None:
    given = {"user_id": "ana", "memory_graph": {"capture": {"max_per_day": 1}}}

    context = read_context(given)

    assert (context.policies.capture.max_per_day, context.policies.capture.cooldown_turns) == (1, 3)


def test_an_unusable_option_is_left_out_and_the_rest_kept() -> None:
    given = {"user_id": "ana", "memory_graph": {"capture": {"max_per_day": "many"}}}

    context = read_context(given)

    assert (context.user_id, context.policies.capture.max_per_day) == ("ana", 5)


def test_an_unknown_zone_falls_back_to_utc() -> None:
    context = Context(time_zone="Mars/Olympus")

    assert context.zone.key == "UTC"


@pytest.mark.parametrize(
    "given",
    [
        {"user_context": {"locale_info": {"time_zone": "Europe/Lisbon"}}},
        {"time_zone": "Europe/Lisbon"},
    ],
)
def test_the_zone_may_come_with_what_the_application_knows_of_the_user(given) -> None:
    assert read_context(given).zone.key == "Europe/Lisbon"
    assert Context(**given).zone.key == "Europe/Lisbon"


def test_the_schema_tells_studio_which_node_a_field_belongs_to() -> None:
    properties = Context.model_json_schema()["properties"]

    assert "episodic_capture" in properties["user_id"]["langgraph_nodes"]
    assert all("description" in each for each in properties.values())


def test_the_schema_shows_what_a_person_sets_and_all_numbers_in_one_object() -> None:
    properties = Context.model_json_schema()["properties"]

    assert list(properties) == [
        "user_id",
        "time_zone",
        "project",
        "model",
        "memory",
        "shape",
        "tools",
        "policies",
    ]
    assert properties["memory"]["default"] is True
    assert properties["policies"]["default"] == {}


def test_a_policy_is_given_in_the_object_or_by_its_own_name() -> None:
    inside = Context(user_id="ana", policies={"capture": {"max_per_day": 1}})
    by_name = Context(user_id="ana", capture={"max_per_day": 1})

    assert inside == by_name
    assert (inside.policies.capture.max_per_day, inside.policies.capture.cooldown_turns) == (1, 3)


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"userid": "ana"}, "userid"),
        ({"userId": "ana"}, "userId"),
        ({"user-id": "ana"}, "user-id"),
        ({"user": "ana"}, "user"),
        ({"thread_id": "t", "langgraph_auth_user_id": "", "user_id": ""}, None),
    ],
)
def test_a_key_that_was_meant_to_be_the_user_is_found(given: dict[str, str], key: str) -> None:
    assert misspelt_user(None, given) == key


@pytest.mark.parametrize(
    ("section", "given", "kept"),
    [
        ("causality", {"antipattern_max_success": 0.2}, "antipattern_min_occurrences"),
        ("learning", {"works_from": 0.9}, "min_episodes"),
        ("bootstrap", {"failures": 1}, "token_budget"),
    ],
)
def test_a_run_changes_some_numbers_of_a_policy_and_keeps_the_others(
    monkeypatch: pytest.MonkeyPatch, section: str, given: dict[str, float], kept: str
) -> None:
    configure(monkeypatch, **{section: {kept: 77}})

    policy = getattr(Context(user_id="ana", **{section: given}).policies, section)

    assert {name: getattr(policy, name) for name in given} == given
    assert getattr(policy, kept) == 77


def test_what_a_caller_sent_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    read_context({"user_id": "ana", "memory_graph": {"peanut\n\x1b[2J allergy": 1, "time_zone": 5}})

    assert "time_zone" in caplog.text
    assert "peanut" not in caplog.text
    assert "\x1b" not in caplog.text
