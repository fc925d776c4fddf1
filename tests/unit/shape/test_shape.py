"""A developer says what matters: attributes, topics that are never kept, typed profiles."""

from datetime import date
from enum import Enum
from pathlib import Path
from typing import Literal

import pytest
from pydantic import AliasChoices, BaseModel, ValidationError
from pydantic import Field as ModelField

from memory_graph.errors import ConfigurationError
from memory_graph.shape import Shape, read_shape, read_shapes
from memory_graph.shape.fields import fields_of, nested


class Seat(Enum):
    AISLE = "aisle"
    WINDOW = "window"


class Home(BaseModel):
    city: str | None = None
    airport: str = ModelField("", description="IATA code of the home airport")


class TravelProfile(BaseModel):
    home: Home = Home()
    seat: Seat | None = None
    bags: int = 0
    vegetarian: bool | None = None
    passport_until: date | None = ModelField(
        None, validation_alias=AliasChoices("passport_until", "passport_expiry")
    )
    airlines: list[str] = []
    budget: Literal["low", "high"] | None = None


class Node(BaseModel):
    name: str
    next: "Node | None" = None


def test_the_fields_of_a_model_are_flat_and_typed() -> None:
    found = {each.path: each for each in fields_of(TravelProfile.model_json_schema())}
    assert {path: each.type for path, each in found.items()} == {
        "home.city": "text",
        "home.airport": "text",
        "seat": "choice",
        "bags": "whole",
        "vegetarian": "yes_no",
        "passport_until": "date",
        "airlines": "text",
        "budget": "choice",
    }
    assert found["airlines"].many
    assert found["seat"].choices == ("aisle", "window")
    assert found["home.airport"].in_words == "home.airport (text): IATA code of the home airport"


@pytest.mark.parametrize(
    ("path", "given", "value"),
    [
        ("seat", "Window", "window"),
        ("bags", "2 bags", 2),
        ("vegetarian", "yes", True),
        ("passport_until", "2031-05-01", "2031-05-01"),
        ("home.city", " Porto ", "Porto"),
    ],
)
def test_a_value_is_read_as_its_type(path: str, given: str, value: object) -> None:
    field = {each.path: each for each in fields_of(TravelProfile.model_json_schema())}[path]
    assert field.read(given) == value


@pytest.mark.parametrize(
    ("path", "given", "problem"),
    [
        ("seat", "middle", "no_choice"),
        ("bags", "some", "no_number"),
        ("bags", "1.5", "no_number"),
        ("vegetarian", "sometimes", "no_yes_or_no"),
        ("passport_until", "soon", "no_date"),
        ("home.city", "x" * 501, "too_long"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_its_reason(
    path: str, given: str, problem: str
) -> None:
    field = {each.path: each for each in fields_of(TravelProfile.model_json_schema())}[path]
    with pytest.raises(ValueError, match=problem):
        field.read(given)


def test_each_field_has_a_key_of_its_own_and_a_list_one_for_each_value() -> None:
    shape = Shape(profiles=[TravelProfile], attributes={"loyalty-tier": {"description": "Tier"}})
    assert shape.key_of("TravelProfile.home.city", "Porto") == "document:TravelProfile:home.city"
    assert shape.key_of("TravelProfile.airlines", "TAP Air") == (
        "document:TravelProfile:airlines:tap-air"
    )
    assert shape.key_of("Loyalty tier", "gold") == "own:loyalty-tier"
    assert shape.key_of("passport_expiry", "2031-05-01") == "document:TravelProfile:passport_until"
    assert shape.key_of("city", "Porto") is None


def test_values_by_path_make_the_document() -> None:
    document = nested({"home.city": "Porto", "bags": 2})
    assert TravelProfile.model_validate(document).home.city == "Porto"


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"profiles": {"Node": Node.model_json_schema()}}, "recurses"),
        ({"attributes": {"city": {}}}, "is an attribute already"),
        ({"attributes": {"a:b": {}}}, "no plain name"),
        ({"attributes": {"tier": {"type": "choice"}}}, "choices"),
        ({"never": ["x" * 301]}, "at most 300"),
        ({"shown": ["Other"]}, "is no profile"),
        ({"kepp": []}, "Extra inputs"),
        ({"profiles": {"P": {"properties": {f"f{n}": {} for n in range(201)}}}}, "at most 200"),
        ({"profiles": {"P": {"properties": {"</memory>": {}}}}}, "no plain name"),
    ],
)
def test_what_is_wrong_with_a_shape_is_said(given: dict[str, object], wrong: str) -> None:
    with pytest.raises(ValidationError, match=wrong):
        Shape.model_validate(given)


def test_a_file_holds_one_shape_or_several_by_name(tmp_path: Path) -> None:
    one, several = tmp_path / "shape.yaml", tmp_path / "shapes.json"
    one.write_text("keep: [Which plan the customer has.]\n", encoding="utf-8")
    several.write_text('{"shapes": {"support": {"never": ["religion"]}, "coach": {}}}')
    assert read_shape(one).keep == ("Which plan the customer has.",)
    assert read_shape(several, "support").never == ("religion",)
    with pytest.raises(ConfigurationError, match="no shape 'sales'; it has: support, coach"):
        read_shape(several, "sales")


def test_a_file_that_is_wrong_says_where(tmp_path: Path) -> None:
    file = tmp_path / "shapes.yaml"
    file.write_text("shapes: {support: {keep: 5}, coach: {}}\n", encoding="utf-8")
    shapes, problems = read_shapes(file)
    assert list(shapes) == ["coach"]
    assert [each.where for each in problems] == ["support.keep"]
    file.write_text("- a\n- b\n", encoding="utf-8")
    assert read_shapes(file)[1][0].what.startswith("holds no shape")
    file.write_text("a: [", encoding="utf-8")
    assert "cannot be read" in read_shapes(file)[1][0].what
