"""How does a policy write down its numbers, and how are several set by one variable?"""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator


def read_numbers(value: object) -> object:
    """Read `profile=0.9,health=0.95` as numbers by name; leave anything else alone."""
    if not isinstance(value, str):
        return value
    pairs = (part.split("=", 1) for part in value.replace(" ", "").split(",") if part)
    return {pair[0]: pair[-1] for pair in pairs}


def read_names(value: object) -> object:
    """Read `card,token` as names; leave anything else alone."""
    if not isinstance(value, str):
        return value
    return tuple(part for part in value.replace(" ", "").split(",") if part)


NamedNumbers = Annotated[Mapping[str, float], BeforeValidator(read_numbers)]


class Policy(BaseModel):
    """The numbers behind one decision. Set them by variable, or per run in `Context`."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Weights(Policy):
    """Weights by name; one variable sets them all, as `lexical=0.6,vector=0.4`."""

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: object) -> object:
        return read_numbers(value)
