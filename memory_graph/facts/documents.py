"""Typed documents, such as a travel profile, put together from the facts of their fields."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from memory_graph.records import Fact
from memory_graph.shape import Shape
from memory_graph.shape.fields import Field, fields_of, nested

ModelT = TypeVar("ModelT", bound=BaseModel)
_PREFIX = "document:"


@dataclass(frozen=True)
class Document(Generic[ModelT]):
    """A document as far as it is known, and which fact each value came from."""

    value: ModelT | None
    """The instance; none while a field is missing that the model requires."""

    sources: Mapping[str, tuple[Fact, ...]]
    """The facts by the path of their field: `home.city`."""

    refused: Mapping[str, str]
    """Values that the model does not take any more, or that are missing, with the reason."""


def document_of(model: type[ModelT], facts: Iterable[Fact]) -> Document[ModelT]:
    """Return what current facts say of a model's fields."""
    sources = _by_field(model, facts)
    values: dict[str, JsonValue] = {}
    refused: dict[str, str] = {}
    for path, (field, known) in sources.items():
        try:
            read = [field.read(str(fact.value)) for fact in known]
        except ValueError as error:
            refused[path] = str(error)
            continue
        values[path] = list(dict.fromkeys(map(str, read))) if field.many else read[0]
    while True:
        try:
            instance: ModelT | None = model.model_validate(nested(values))
            break
        except ValidationError as error:
            problems = {
                ".".join(str(part) for part in each["loc"] if isinstance(part, str)): each["msg"]
                for each in error.errors(include_url=False, include_context=False)
            }
            refused |= problems
            wrong = [path for path in values if path in problems]
            if not wrong:
                instance = None
                break
            values = {path: each for path, each in values.items() if path not in wrong}
    kept = {path: tuple(known) for path, (_, known) in sources.items() if path in values}
    return Document(instance, kept, refused)


def _by_field(model: type[BaseModel], facts: Iterable[Fact]) -> dict[str, tuple[Field, list[Fact]]]:
    """Return the facts of each field, the newest first, also under a field's former names."""
    prefix = f"{_PREFIX}{model.__name__}:"
    own = sorted(
        (fact for fact in facts if (fact.key or "").startswith(prefix)),
        key=lambda fact: fact.updated_at,
        reverse=True,
    )
    found: dict[str, tuple[Field, list[Fact]]] = {}
    schema = Shape.model_validate({"profiles": [model]}).profiles[model.__name__]
    for field in fields_of(schema):
        names = {field.path, *field.aliases}
        known = [fact for fact in own if (fact.key or "").split(":")[2] in names]
        if known:
            found[field.path] = (field, known)
    return found
