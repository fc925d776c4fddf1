import json

from memory_graph.facts.model_reader import MessageAsked
from memory_graph.llm.ask import lean_schema
from memory_graph.records import EpisodeAsked, EpisodeDraft


def every_object(schema):
    if isinstance(schema, dict):
        if "properties" in schema:
            yield schema
        for inner in schema.values():
            yield from every_object(inner)


def test_every_field_is_required_and_no_other_is_allowed():
    for asked in (MessageAsked, EpisodeAsked):
        for each in every_object(lean_schema(asked)):
            assert each["required"] == list(each["properties"])
            assert each["additionalProperties"] is False


def test_a_schema_is_names_types_and_lengths():
    fact = lean_schema(MessageAsked)["properties"]["facts"]["items"]

    assert fact["properties"]["replaces"] == {"type": "array", "items": {"type": "integer"}}
    assert not any(word in json.dumps(fact) for word in ("description", "title", "$ref", "default"))


def test_an_episode_is_asked_for_in_fields_that_a_draft_has():
    assert set(lean_schema(EpisodeAsked)["properties"]) < set(EpisodeDraft.model_fields)
