from pathlib import Path

import pytest
import yaml

from memory_graph.context import Context
from memory_graph.policies import RecallPolicy
from memory_graph.settings import (
    Settings,
    advice_on,
    all_settings,
    describe_file,
    describe_variables,
    get_settings,
    unknown_variables,
    variables,
)
from tests.configured import configure

ROOT = Path(__file__).parents[2]
OF_THE_SOURCES = {
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
    "EPISODIC_ENABLED",
    "MEMORY_SEM_AUTO_BY_CATEGORY",
    "MEMORY_SEM_LOW_BY_CATEGORY",
}


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


def test_secrets_do_not_print() -> None:
    settings = Settings(store="postgresql://ana:hunter2@host/db", openai_api_key="sk-hunter2")

    assert "hunter2" not in repr(settings)


def test_the_example_file_lists_every_variable() -> None:
    assert (ROOT / ".env.example").read_text(encoding="utf-8") == describe_variables()


def test_the_settings_file_that_is_printed_holds_every_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "settings.yaml").write_text(describe_file(), encoding="utf-8")
    monkeypatch.setenv("MEMORY_GRAPH_SETTINGS", "settings.yaml")

    settings = get_settings().model_dump(exclude={"settings"})

    assert settings == Settings(settings=None).model_dump(exclude={"settings"})
    assert settings["limits"] == yaml.safe_load(describe_file())["limits"]


def test_a_variable_beats_the_settings_file_and_leaves_its_other_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    configure(monkeypatch, recall={"topk": 7, "recall_turns": 9}, admission={"auto": 0.8})
    monkeypatch.setenv("MEMORY_CONTEXT_TOPK", "5")

    settings = get_settings()

    assert (settings.recall.topk, settings.recall.recall_turns) == (5, 9)
    assert settings.admission.auto == 0.8


def test_a_mounted_secret_is_read_and_a_variable_beats_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("openai_api_key", "memory_graph_store"):
        (tmp_path / name).write_text(f"from {name}", encoding="utf-8")
    monkeypatch.setattr("memory_graph.settings.SECRETS", tmp_path)
    monkeypatch.setenv("MEMORY_GRAPH_STORE", "memory")

    settings = get_settings()

    assert settings.openai_api_key.get_secret_value() == "from openai_api_key"
    assert settings.store.get_secret_value() == "memory"


def test_the_names_the_product_promises_exist() -> None:
    assert variables().keys() >= OF_THE_SOURCES
    assert len(variables().keys() - OF_THE_SOURCES) <= 30


def test_every_setting_says_what_it_is_for() -> None:
    assert all(setting.meaning for setting in all_settings())


def test_variables_that_are_no_settings_are_found_in_the_environment_and_in_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("EPISODIC_NONE=1\nMEMORY_SEM_LOW=0.6\n", encoding="utf-8")
    monkeypatch.setenv("MEMORY_GRAPH_MODLE", "gpt")
    monkeypatch.setenv("HOME_MEMORY_", "x")

    assert unknown_variables() == ["EPISODIC_NONE", "MEMORY_GRAPH_MODLE"]


@pytest.mark.parametrize(
    ("variable", "advice"),
    [
        ("MEMORY_GRAPH_RECALL_FOUND_MIN", "`recall: {found_min: …}` in the file"),
        ("MEMORY_GRAPH_LEDGER_MAX", "`limits: {ledger_max: …}` in the file"),
        ("MEMORY_SEM_FLOOR", "is not a setting any more"),
        ("MEMORY_GRAPH_MODLE", "did you mean MEMORY_GRAPH_MODEL?"),
        ("EPISODIC_XYZZY_QUUX", "is not a setting any more, or never was"),
    ],
)
def test_a_variable_that_sets_nothing_comes_with_what_to_do(variable: str, advice: str) -> None:
    assert advice in advice_on(variable)


def test_an_old_env_file_opens_and_one_warning_names_what_sets_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / ".env").write_text(
        "MEMORY_SEM_AUTO=0.8\nMEMORY_GRAPH_RECALL=1\nMEMORY_GRAPH_STORE_READ_TIMEOUT_S=3\n"
        "MEMORY_GRAPH_CAPTURE_WEIGHTS=decision=3\nMEMORY_PRESSURE_WATCH=/dev/null\n",
        encoding="utf-8",
    )

    assert get_settings().admission.auto == 0.8
    assert get_settings().recall == RecallPolicy()

    [warning] = caplog.messages
    assert "MEMORY_GRAPH_CAPTURE_WEIGHTS is `capture: {weights: …}`" in warning
    assert "MEMORY_GRAPH_STORE_READ_TIMEOUT_S is `limits: {store_read_timeout_s: …}`" in warning
    assert "MEMORY_GRAPH_RECALL" in warning
    assert "PRESSURE" not in warning
