import json

from memory_graph.llm.episodes import EpisodeDraft
from memory_graph.llm.facts import ExtractedFacts
from memory_graph.llm.lean_schema import lean_schema


def test_a_schema_is_only_names_and_types():
    schema = lean_schema(ExtractedFacts)
    fact = schema["properties"]["facts"]["items"]

    assert schema["title"] == "ExtractedFacts"
    assert fact["required"] == ["statement"]
    assert fact["properties"]["value"] == {"type": "string"}
    assert "semantic" in fact["properties"]["kind"]["enum"]
    assert not any(word in json.dumps(fact) for word in ("description", "title", "$ref", "default"))


def test_every_reply_has_one():
    assert set(lean_schema(EpisodeDraft)["properties"]) == set(EpisodeDraft.model_fields)
