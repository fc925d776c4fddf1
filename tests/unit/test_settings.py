from pathlib import Path

import pytest

from memory_graph.context import Context
from memory_graph.settings import (
    GROUPS,
    Settings,
    describe_settings,
    get_settings,
    unknown_variables,
    variable_names,
)

ROOT = Path(__file__).parents[2]


def test_a_run_overrides_the_environment_which_overrides_the_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert Context(user_id="ana").policies.capture.cooldown_turns == 3
    get_settings.cache_clear()
    monkeypatch.setenv("EPISODIC_COOLDOWN_TURNS", "5")
    monkeypatch.setenv("EPISODIC_MAX_PER_DAY", "9")
    assert Context(user_id="ana").policies.capture.cooldown_turns == 5

    capture = Context(user_id="ana", capture={"cooldown_turns": 7}).policies.capture

    assert (capture.cooldown_turns, capture.max_per_day) == (7, 9)


def test_an_env_file_is_read_and_the_environment_beats_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("MEMORY_SEM_AUTO=0.8\nMEMORY_SEM_LOW=0.6\n", encoding="utf-8")
    monkeypatch.setenv("MEMORY_SEM_LOW", "0.5")

    settings = Settings()

    assert (settings.admission.auto, settings.admission.low) == (0.8, 0.5)


def test_weights_are_set_together_and_the_others_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_RERANK_WEIGHTS", "recency=0.5, pinned=0")

    weights = Settings().recall.weights

    assert (weights.recency, weights.pinned) == (0.5, 0.0)
    assert weights.lexical == Settings.model_fields["recall"].default.weights.lexical


@pytest.mark.parametrize(
    ("name", "value"),
    [("MEMORY_SEM_AUTO", "high"), ("EPISODIC_MAX_PER_DAY", "-1"), ("MEMORY_RERANK_WEIGHTS", "x=1")],
)
def test_a_bad_value_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(ValueError, match=r"validation error"):
        Settings()


def test_secrets_do_not_print() -> None:
    settings = Settings(store="postgresql://ana:hunter2@host/db", openai_api_key="sk-hunter2")

    assert "hunter2" not in repr(settings)


def test_the_example_file_lists_every_setting() -> None:
    assert (ROOT / ".env.example").read_text(encoding="utf-8") == describe_settings()


@pytest.mark.parametrize(
    "line",
    [
        "MEMORY_GRAPH_MODEL_TIMEOUT_S=60",
        "MEMORY_EXTRACTION_TIMEOUT_S=8",
        "MEMORY_EPISODE_TIMEOUT_S=120",
    ],
)
def test_limits_of_models_are_listed_with_what_holds(line) -> None:
    assert f"# {line}\n" in describe_settings()


def test_the_names_the_product_promises_exist() -> None:
    names = {name for _, name in variable_names(Settings)}

    assert names >= {
        "MEMORY_SEM_AUTO",
        "MEMORY_SEM_LOW",
        "EPISODIC_COOLDOWN_TURNS",
        "EPISODIC_COOLDOWN_MINUTES",
        "EPISODIC_MAX_PER_DAY",
        "EPISODIC_NOVELTY_MIN",
        "EPISODIC_MERGE_WINDOW_HOURS",
        "EPISODIC_WINDOW_N",
        "MEMORY_TINY_LLM_MODEL_ID",
        "MEMORY_CONTEXT_TOPK",
        "MEMORY_CONTEXT_TOPN",
        "MEMORY_RERANK_WEIGHTS",
        "MEMORY_EPISODE_MODEL",
        "MEMORY_EXTRACTION_MODEL",
        "MEMORY_EPISODE_BUDGET_USD",
        "MEMORY_EPISODE_TIMEOUT_S",
    }


def test_every_setting_says_what_it_is_for() -> None:
    assert "\n# \n" not in describe_settings()


def test_every_setting_is_in_one_of_the_four_groups() -> None:
    assert [*GROUPS.values()] == [name for name in Settings.model_fields if name in GROUPS.values()]
    assert list(GROUPS) == ["Start here", "Quality", "Limits", "Server"]
    for _, name in variable_names(Settings):
        assert describe_settings().count(f"\n# {name}=") == 1


def test_variables_that_are_no_settings_are_found_in_the_environment_and_in_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("EPISODIC_NONE=1\nMEMORY_SEM_LOW=0.6\n", encoding="utf-8")
    monkeypatch.setenv("MEMORY_GRAPH_MODLE", "gpt")
    monkeypatch.setenv("HOME_MEMORY_", "x")

    assert unknown_variables() == ["EPISODIC_NONE", "MEMORY_GRAPH_MODLE"]
