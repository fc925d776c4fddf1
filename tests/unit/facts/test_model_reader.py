"""What is made of a model's answer about facts."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from memory_graph.facts.extraction import FactExtractor
from memory_graph.facts.model_reader import read_candidates
from tests.fakes import CountingModel


def offered(**given):
    fact = {"words": "", "replaces": 0, "ended": False, "entity": "user", "entity_kind": "self"}
    return {**fact, "date": "", **given}


def test_a_fact_of_the_user_that_is_called_by_its_value_is_the_users():
    statement = "The user has worked at Maersk since 2011."
    fact = offered(entity="Maersk", entity_kind="company", attribute="employer", value="Maersk")

    [read] = read_candidates([fact | {"statement": statement}]).facts
    assert (read.entity, read.attribute, read.value) == ("user", "employer", "Maersk")


def test_the_name_of_somebody_close_is_not_the_users():
    fact = offered(entity="Eva", entity_kind="sister", attribute="name", value="Eva")

    [read] = read_candidates([fact | {"statement": "The user has a sister called Eva."}]).facts
    assert read.entity == "Eva"


def test_a_list_of_things_is_one_fact_each():
    fact = offered(attribute="tool", value="Neovim and tmux")

    read = read_candidates([fact | {"statement": "The user uses Neovim and tmux."}]).facts
    assert [each.value for each in read] == ["Neovim", "tmux"]


@pytest.mark.parametrize("value", ["rock climbing every week and a long swim", "Marks"])
def test_a_value_that_lists_nothing_stays_whole(value):
    fact = offered(attribute="hobby", value=value, statement=f"The user likes {value}.")

    assert [each.value for each in read_candidates([fact]).facts] == [value]


def test_a_value_without_a_telling_word_makes_no_key():
    fact = offered(attribute="job", value="between", statement="The user is between jobs.")

    [read] = read_candidates([fact]).facts
    assert (read.attribute, read.value) == (None, None)


def test_a_kind_that_was_not_told_is_none():
    fact = offered(entity="Luna", entity_kind="-", attribute="age", value="4")

    [read] = read_candidates([fact | {"statement": "Luna is 4."}]).facts
    assert (read.entity, read.entity_kind) == ("Luna", None)


@pytest.mark.parametrize(
    ("words", "ended", "attribute"),
    [
        ("I stopped liking techno", False, None),
        ("I stopped liking techno", True, "hobby"),
        ("On Sundays we play techno", False, "hobby"),
    ],
)
async def test_what_words_tell_to_be_over_is_no_value_unless_the_model_says_so(
    words, ended, attribute
):
    fact = offered(words=words, attribute="hobby", value="techno", ended=ended)
    model = CountingModel(answers=[{"facts": [fact | {"statement": "The user's hobby: techno."}]}])

    now = datetime(2026, 11, 16, tzinfo=UTC)
    found = await FactExtractor(model, 5).extract([f"{words}."], now, ZoneInfo("UTC"))

    assert {each.attribute for each in found.candidates if not each.own_words} <= {attribute}
    assert (attribute is None) or found.candidates[0].value == "techno"
