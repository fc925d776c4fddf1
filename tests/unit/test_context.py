from dataclasses import dataclass

import pytest

from memory_graph.context import Context, read_context
from memory_graph.settings import get_settings


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
        pytest.param(None, {}, None, id="nothing at all"),
        pytest.param({"user_id": 7}, {}, None, id="not a user id"),
    ],
)
def test_reads_the_user_out_of_any_graphs_context(given, configurable, user_id) -> None:
    assert read_context(given, configurable).user_id == user_id


def test_another_graphs_model_is_not_ours() -> None:
    assert read_context(Theirs()).model is None


def test_options_may_come_in_a_mapping_of_our_own() -> None:
    given = {"user_id": "ana", "memory_graph": {"capture": {"max_per_day": 1}}}

    context = read_context(given)

    assert (context.capture.max_per_day, context.capture.cooldown_turns) == (1, 3)


def test_an_unusable_option_is_left_out_and_the_rest_kept() -> None:
    given = {"user_id": "ana", "memory_graph": {"capture": {"max_per_day": "many"}}}

    context = read_context(given)

    assert (context.user_id, context.capture.max_per_day) == ("ana", 5)


def test_an_unknown_zone_falls_back_to_utc() -> None:
    context = Context(user_context={"locale_info": {"time_zone": "Mars/Olympus"}})

    assert context.zone.key == "UTC"


def test_the_schema_tells_studio_which_node_a_field_belongs_to() -> None:
    properties = Context.model_json_schema()["properties"]

    assert properties["capture"]["langgraph_nodes"] == ["episodic_capture"]
    assert all("description" in each for each in properties.values())


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
    monkeypatch.setenv(f"MEMORY_GRAPH_{section}_{kept}".upper(), "77")
    get_settings.cache_clear()

    policy = getattr(Context(user_id="ana", **{section: given}), section)

    assert {name: getattr(policy, name) for name in given} == given
    assert getattr(policy, kept) == 77
