"""What a developer says about the memory of their product."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from memory_graph.keys import ATTRIBUTES, normalise
from memory_graph.records import Importance
from memory_graph.shape import fields as shaped
from memory_graph.shape.fields import FieldType, JsonSchema

_Sentence = Annotated[str, Field(min_length=3, max_length=300)]
_NAME = re.compile(r"[A-Za-z_][\w-]{0,59}")
_MOST_SENTENCES = 20


class AttributeShape(BaseModel):
    """An attribute of one's own: `loyalty-tier`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    description: str = Field(default="", max_length=200)
    type: FieldType = "text"
    choices: tuple[str, ...] = ()
    many: bool = False
    """Whether it has several values at a time."""

    importance: Importance = 3
    category: str = Field(default="other", pattern=r"^[a-z][a-z0-9-]{0,39}$")

    @model_validator(mode="after")
    def _has_choices(self) -> Self:
        if (self.type == "choice") != bool(self.choices):
            raise ValueError("`choices` go with the type `choice`")
        return self


def _by_name(given: object) -> object:
    """Return schemas by the name of their model, where models are given."""
    if isinstance(given, Mapping):
        return {name: _schema_of(each) for name, each in given.items()}
    if isinstance(given, Sequence) and not isinstance(given, str):
        return {each.__name__: _schema_of(each) for each in given}
    return given


def _schema_of(given: Any) -> JsonSchema:  # noqa: ANN401 — a model or a schema
    if isinstance(given, type) and issubclass(given, BaseModel):
        schema = given.model_json_schema(by_alias=False)
        for name, field in given.model_fields.items():
            known = schema["properties"].get(name, {})
            old = field.validation_alias
            choices = getattr(old, "choices", [old] if isinstance(old, str) else [])
            if aliases := [each for each in choices if isinstance(each, str) and each != name]:
                known["x-aliases"] = aliases
        return schema
    return dict(given)


class Shape(BaseModel):
    """What matters in one product, what is never kept, and profiles."""

    model_config = ConfigDict(frozen=True, extra="forbid", ignored_types=(cached_property,))

    keep: tuple[_Sentence, ...] = Field(default=(), max_length=_MOST_SENTENCES)
    """Sentences that say what to write down: `Which plan the customer has, and since when.`"""

    never: tuple[_Sentence, ...] = Field(default=(), max_length=_MOST_SENTENCES)
    """Topics that are never kept: `religion`, `the customer's health`."""

    attributes: Mapping[str, AttributeShape] = Field(default_factory=dict)
    profiles: Annotated[Mapping[str, JsonSchema], BeforeValidator(_by_name)] = Field(
        default_factory=dict
    )
    """Documents to fill, as Pydantic models or JSON schemas, by name."""

    shown: tuple[str, ...] = ()
    """Profiles that are always in the agent's prompt."""

    instructions: bool = True
    """Whether the user may tell the agent how to work."""

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        for name in (*self.attributes, *self.profiles):
            if not _NAME.fullmatch(name):
                raise ValueError(f"{name[:60]!r} is no plain name")
        if clash := sorted(each for each in self.attributes if normalise(each) in ATTRIBUTES):
            raise ValueError(f"`{clash[0]}` is an attribute already; leave it out or rename it")
        if unknown := sorted({*self.shown} - {*self.profiles}):
            raise ValueError(f"`shown` names {unknown[0]!r}, which is no profile")
        for name, schema in self.profiles.items():
            try:
                shaped.fields_of(schema)
            except ValueError as error:
                raise ValueError(f"the profile `{name}` cannot be kept: {error}") from error
        return self

    @cached_property
    def fields(self) -> Mapping[str, shaped.Field]:
        """Every attribute and every field of a profile, by the name facts are filed under."""
        own = {
            normalise(name): shaped.Field(
                name, each.type, each.description, each.choices, each.many
            )
            for name, each in self.attributes.items()
        }
        for name, schema in self.profiles.items():
            for field in shaped.fields_of(schema):
                own[f"{name}.{field.path}"] = field
        return own

    def field_named(self, attribute: str) -> tuple[str, shaped.Field] | None:
        """Return the field that an attribute of a reading means, and what it is filed under."""
        fields = self.fields
        for name in (attribute, normalise(attribute)):
            if name in fields:
                return name, fields[name]
        folded = attribute.casefold()
        return next(
            (
                (name, field)
                for name, field in fields.items()
                if name.casefold() == folded or folded in map(str.casefold, field.aliases)
            ),
            None,
        )

    def key_of(self, attribute: str, value: str, entity: str = "user") -> str | None:
        """Return the key of a fact about an attribute of this shape; `None` if it is not one."""
        named = self.field_named(attribute)
        if named is None:
            return None
        name, field = named
        profile, _, path = name.partition(".")
        place = ("document", profile, path) if path else ("own", name)
        owner = () if normalise(entity) == "user" else (normalise(entity),)
        tail = (normalise(value),) if field.many else ()
        return ":".join((*place, *owner, *tail))
