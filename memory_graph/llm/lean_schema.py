"""How little must a model be told about the shape of its answer?"""

from collections.abc import Mapping

from pydantic import BaseModel, JsonValue

_SAID_ELSEWHERE = frozenset(
    "title description default examples additionalProperties minLength maxLength minItems "
    "maxItems minimum maximum".split()
)
"""The prompt says what fields mean, and the answer is checked when it is read."""


def lean_schema(reply: type[BaseModel]) -> dict[str, JsonValue]:
    """Return a reply's JSON schema with nothing in it but names and types."""
    schema = reply.model_json_schema()
    lean = _lean(schema, schema.get("$defs", {}))
    assert isinstance(lean, dict)
    return {"title": reply.__name__, **lean}


def _lean(schema: JsonValue, shared: Mapping[str, JsonValue]) -> JsonValue:
    if not isinstance(schema, dict):
        return schema
    if isinstance(name := schema.get("$ref"), str):
        return _lean(shared[name.rpartition("/")[2]], shared)
    if isinstance(choices := schema.get("anyOf"), list):
        return _lean(_present(choices), shared)
    kept = {key: value for key, value in schema.items() if key not in _SAID_ELSEWHERE | {"$defs"}}
    if "items" in kept:
        kept["items"] = _lean(kept["items"], shared)
    if isinstance(fields := kept.get("properties"), dict):
        kept["properties"] = {name: _lean(field, shared) for name, field in fields.items()}
    return kept


def _present(choices: list[JsonValue]) -> JsonValue:
    """Return the choice that is not `null`: what is unknown may as well be left out."""
    return next(each for each in choices if each != {"type": "null"})
