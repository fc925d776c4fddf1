"""Shapes from files: YAML or JSON, one shape or several by name."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml  # type: ignore[import-untyped]
from pydantic import ValidationError

from memory_graph.errors import ConfigurationError
from memory_graph.shape.definition import Shape

_LARGEST = 1_000_000
DEFAULT = "default"


@dataclass(frozen=True)
class ShapeProblem:
    """One thing that is wrong in a file of shapes: where, and what."""

    where: str
    what: str


def read_shapes(path: Path) -> tuple[dict[str, Shape], list[ShapeProblem]]:
    """Return the shapes of a file by name, and what is wrong with the others.

    A file with `shapes:` holds several; any other holds the one called `default`.
    """
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return {}, [ShapeProblem(str(path), "is no file of less than a megabyte")]
        text = path.read_text(encoding="utf-8")
        given = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except (OSError, UnicodeDecodeError, ValueError, yaml.YAMLError) as error:
        return {}, [ShapeProblem(str(path), f"cannot be read: {str(error).splitlines()[0]}")]
    if not isinstance(given, Mapping):
        return {}, [ShapeProblem(str(path), "holds no shape: write `keep:`, `never:`, …")]
    named = given.get("shapes") if "shapes" in given else {DEFAULT: given}
    if not isinstance(named, Mapping):
        return {}, [ShapeProblem("shapes", "names no shapes: write `shapes: {support: …}`")]
    return _checked(named)


def _checked(named: Mapping[object, object]) -> tuple[dict[str, Shape], list[ShapeProblem]]:
    shapes: dict[str, Shape] = {}
    problems: list[ShapeProblem] = []
    for name, each in named.items():
        try:
            shapes[str(name)] = Shape.model_validate(each)
        except ValidationError as error:
            for problem in error.errors(include_url=False, include_context=False):
                where = ".".join(map(str, (name, *problem["loc"])))
                problems.append(ShapeProblem(where, problem["msg"].removeprefix("Value error, ")))
    return shapes, problems


def read_shape(path: Path, name: str = DEFAULT) -> Shape:
    """Return one shape of a file.

    Raises:
        ConfigurationError: If it is not there or not sound; the message says what is wrong.
    """
    shapes, problems = read_shapes(path)
    if problems:
        wrong = "; ".join(f"{each.where}: {each.what}" for each in problems)
        raise ConfigurationError(f"{path.name} is no file of shapes: {wrong}.")
    if name not in shapes:
        raise ConfigurationError(
            f"{path.name} has no shape {name!r}; it has: {', '.join(shapes) or 'none'}."
        )
    return shapes[name]
