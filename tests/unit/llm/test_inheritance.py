import pytest

from memory_graph.context import Context
from memory_graph.llm.models import models_for
from memory_graph.settings import get_settings
from tests.unit.nodes.test_background import answering

pytestmark = pytest.mark.server


@pytest.mark.parametrize(
    ("given", "extraction", "episode"),
    [
        pytest.param({}, "large", "large", id="the chat model"),
        pytest.param({"MEMORY_TINY_LLM_MODEL_ID": "tiny"}, "tiny", "tiny", id="the tiny model"),
        pytest.param({"MEMORY_EXTRACTION_MODEL": " small "}, "small", "small", id="inherited"),
        pytest.param(
            {"MEMORY_EXTRACTION_MODEL": "small", "MEMORY_EPISODE_MODEL": "story"},
            "small",
            "story",
            id="its own",
        ),
        pytest.param({"MEMORY_EPISODE_MODEL": "  "}, "large", "large", id="blank"),
    ],
)
def test_the_episode_model_inherits_the_extraction_model(monkeypatch, given, extraction, episode):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    for name, value in {"MEMORY_GRAPH_MODEL": "large", **given}.items():
        monkeypatch.setenv(name, value)
    get_settings.cache_clear()

    models = models_for(Context())

    assert models.extraction.model_name == extraction
    assert models.episode.model_name == episode


def test_the_knobs_hold_with_a_model_passed_in_code(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    monkeypatch.setenv("MEMORY_EPISODE_MODEL", "story")
    get_settings.cache_clear()
    own = answering()

    models = models_for(Context(), own)

    assert (models.chat, models.extraction) == (own, own)
    assert models.episode.model_name == "story"
