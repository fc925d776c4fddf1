"""The fields of a schema, flattened, and the values that each of them takes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from pydantic import JsonValue

FieldType = Literal["text", "number", "whole", "yes_no", "date", "choice"]
FieldProblem = Literal["no_number", "no_date", "no_choice", "no_yes_or_no", "too_long"]
JsonSchema = Mapping[str, Any]

MOST_FIELDS = 200
_DEEPEST = 6
_LONGEST_VALUE = 500
_TYPES: Mapping[str, FieldType] = {
    "string": "text",
    "number": "number",
    "integer": "whole",
    "boolean": "yes_no",
}
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?")
_YES = frozenset("yes true 1 ja sí si oui sim はい 是".split())
_NO = frozenset("no false 0 nein non não いいえ 否".split())


@dataclass(frozen=True)
class Field:
    """One value of a profile or one attribute: where it is, what it means, what it takes."""

    path: str
    """`home.city`: the names on the way, joined by dots."""

    type: FieldType = "text"
    description: str = ""
    choices: tuple[str, ...] = ()
    many: bool = False
    aliases: tuple[str, ...] = ()

    def read(self, given: str) -> JsonValue:
        """Return a value as its type.

        Raises:
            ValueError: With a `FieldProblem`, if it is none.
        """
        text = given.strip()
        if len(text) > _LONGEST_VALUE:
            raise ValueError("too_long")
        if self.type in {"number", "whole"}:
            return self._number(text)
        if self.type == "yes_no":
            return _yes_or_no(text)
        if self.type == "date":
            return _day(text)
        if self.type == "choice":
            return self._choice(text)
        return text

    def _number(self, text: str) -> JsonValue:
        found = _NUMBER.search(text)
        number = float(found[0].replace(",", ".")) if found else None
        if number is None or (self.type == "whole" and not number.is_integer()):
            raise ValueError("no_number")
        return int(number) if number.is_integer() else number

    def _choice(self, text: str) -> JsonValue:
        folded = {_folded(each): each for each in self.choices}
        if _folded(text) not in folded:
            raise ValueError("no_choice")
        return folded[_folded(text)]

    @property
    def in_words(self) -> str:
        """Return the field as the reading call is shown it."""
        kind = "|".join(self.choices) if self.choices else self.type.replace("_", "/")
        several = ", several" if self.many else ""
        meaning = f": {self.description}" if self.description else ""
        return f"{self.path} ({kind}{several}){meaning}"


def _folded(text: str) -> str:
    return re.sub(r"[\s_-]+", " ", text).strip().casefold()


def _yes_or_no(text: str) -> bool:
    if text.casefold() in _YES:
        return True
    if text.casefold() in _NO:
        return False
    raise ValueError("no_yes_or_no")


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise ValueError("no_date") from error


def fields_of(schema: JsonSchema) -> list[Field]:
    """Return the fields of a JSON schema, nested ones by their path.

    Raises:
        ValueError: If it recurses, goes too deep, or has too many fields.
    """
    defs = schema.get("$defs") or {}
    root, refs = _resolved(schema, defs, ())
    fields = list(_walk(root, defs, (), refs))
    if len(fields) > MOST_FIELDS:
        raise ValueError(f"it has {len(fields)} fields; at most {MOST_FIELDS} are kept")
    return fields


def _walk(
    schema: JsonSchema, defs: JsonSchema, path: tuple[str, ...], inside: tuple[str, ...]
) -> Iterator[Field]:
    if len(path) > _DEEPEST:
        raise ValueError(f"`{'.'.join(path)}` is nested deeper than {_DEEPEST} levels")
    for name, given in (schema.get("properties") or {}).items():
        if not re.fullmatch(r"[A-Za-z_]\w{0,59}", name):
            raise ValueError(f"the field name {name[:60]!r} is no plain name")
        place = (*path, name)
        inner, refs = _resolved(given, defs, place)
        is_list = inner.get("type") == "array"
        if is_list:
            inner, more = _resolved(inner.get("items") or {}, defs, place)
            refs = (*refs, *more)
        if again := set(refs) & set(inside):
            raise ValueError(f"`{'.'.join(place)}` recurses into {sorted(again)[0]}")
        if is_list and inner.get("properties"):
            raise ValueError(f"`{'.'.join(place)}` is a list of objects; name its fields")
        if inner.get("properties"):
            yield from _walk(inner, defs, place, (*inside, *refs))
        else:
            yield _field(place, given, inner, many=is_list)


def _resolved(
    given: JsonSchema, defs: JsonSchema, path: Sequence[str]
) -> tuple[JsonSchema, tuple[str, ...]]:
    """Return what a schema stands for, and the definitions it names on the way."""
    refs: tuple[str, ...] = ()
    while True:
        options = [each for each in given.get("anyOf") or () if each.get("type") != "null"]
        if len(options) == 1:
            given = {**given, **options[0], "anyOf": ()}
        elif len(options) > 1:
            raise ValueError(f"`{'.'.join(path)}` may be several types; give it one")
        elif ref := given.get("$ref"):
            name = str(ref).rpartition("/")[2]
            if name in refs or name not in defs:
                raise ValueError(f"`{'.'.join(path)}` refers to {name!r}, which it cannot hold")
            refs = (*refs, name)
            given = {**{k: v for k, v in given.items() if k != "$ref"}, **defs[name]}
        else:
            return given, refs


def _field(path: tuple[str, ...], given: JsonSchema, inner: JsonSchema, *, many: bool) -> Field:
    choices = tuple(str(each) for each in inner.get("enum") or () if each is not None)
    if "const" in inner:
        choices = (str(inner["const"]),)
    type_ = "choice" if choices else _TYPES.get(str(inner.get("type", "string")), "text")
    if inner.get("format") in {"date", "date-time"}:
        type_ = "date"
    described = given.get("description") or inner.get("description") or ""
    aliases = tuple(str(each) for each in given.get("x-aliases") or ())
    meaning = " ".join(str(described).split())[:200]
    return Field(".".join(path), type_, meaning, choices, many, aliases)


def nested(values: Mapping[str, JsonValue]) -> dict[str, Any]:
    """Return values by path as the document they make: `{"home.city": x}` → `{"home": …}`."""
    document: dict[str, Any] = {}
    for path, value in values.items():
        *names, last = path.split(".")
        place = document
        for name in names:
            place = place.setdefault(name, {})
        place[last] = value
    return document
