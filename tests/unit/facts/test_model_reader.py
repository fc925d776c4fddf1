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

    [read] = read_candidates([fact | {"statement": statement}])["facts"]
    assert (read.entity, read.attribute, read.value) == ("user", "employer", "Maersk")


@pytest.mark.parametrize(
    ("attribute", "value", "statement", "filed"),
    [
        ("job", "Maersk", "The user has worked at Maersk since 2011.", "employer"),
        ("occupation", "the city council", "The user works for the city council.", "employer"),
        ("job", "nurse", "The user works as a nurse at St Mary's.", "job"),
        ("job", "nurse", "The user is a nurse.", "job"),
    ],
)
def test_whom_one_works_for_is_no_job(attribute, value, statement, filed):
    fact = offered(attribute=attribute, value=value, statement=statement)

    assert [each.attribute for each in read_candidates([fact])["facts"]] == [filed]


def test_the_name_of_somebody_close_is_not_the_users():
    fact = offered(entity="Eva", entity_kind="sister", attribute="name", value="Eva")

    [read] = read_candidates([fact | {"statement": "The user has a sister called Eva."}])["facts"]
    assert read.entity == "Eva"


def test_a_list_of_things_is_one_fact_each():
    fact = offered(attribute="tool", value="Neovim and tmux")

    read = read_candidates([fact | {"statement": "The user uses Neovim and tmux."}])["facts"]
    assert [each.value for each in read] == ["Neovim", "tmux"]


@pytest.mark.parametrize("value", ["rock climbing every week and a long swim", "Marks"])
def test_a_value_that_lists_nothing_stays_whole(value):
    fact = offered(attribute="hobby", value=value, statement=f"The user likes {value}.")

    assert [each.value for each in read_candidates([fact])["facts"]] == [value]


def test_a_value_without_a_telling_word_makes_no_key():
    fact = offered(attribute="job", value="between", statement="The user is between jobs.")

    [read] = read_candidates([fact])["facts"]
    assert (read.attribute, read.value) == (None, None)


def test_a_clause_is_no_city():
    value = "living with two flatmates, Giulia from Italy and Tomasz"
    fact = offered(attribute="city", value=value, statement=f"The user is {value}.")

    [read] = read_candidates([fact])["facts"]
    assert (read.attribute, read.value) == (None, None)


def test_a_kind_that_was_not_told_is_none():
    fact = offered(entity="Luna", entity_kind="-", attribute="age", value="4")

    [read] = read_candidates([fact | {"statement": "Luna is 4."}])["facts"]
    assert (read.entity, read.entity_kind) == ("Luna", None)


def test_a_city_that_even_a_model_writes_small_is_none():
    fact = offered(attribute="location", value="garage", statement="The user is at the garage.")

    [read] = read_candidates([fact])["facts"]
    assert read.attribute is None


async def heard(text, **given):
    """Return what is kept of a message of which a model offers one fact."""
    model = CountingModel(answers=[{"facts": [offered(**given)], "has_episode": False}])
    now = datetime(2026, 11, 16, tzinfo=UTC)
    found = await FactExtractor(model, 5).extract([text], now, ZoneInfo("UTC"))
    return found.candidates


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
    told = {"attribute": "hobby", "value": "techno", "statement": "The user's hobby: techno."}
    found = await heard(f"{words}.", words=words, ended=ended, **told)

    assert {each.attribute for each in found if not each.own_words} <= {attribute}
    assert attribute is None or found[0].value == "techno"


@pytest.mark.parametrize(
    ("words", "attribute", "value"),
    [("me nan cant have gluten, coeliac", "allergy", "gluten"), ("he's 6", "age", "6")],
)
async def test_what_begins_with_somebody_else_is_not_the_users(words, attribute, value):
    told = {"attribute": attribute, "value": value, "statement": f"The user's {value}."}
    found = await heard(f"we've got a greyhound, Otto. {words}", words=words, **told)

    assert attribute not in {each.attribute for each in found}
    assert not any(each.statement.startswith("The user") for each in found)


async def test_what_is_only_supposed_is_no_fact_whatever_a_model_says():
    text = "If City win the league I'm getting a tattoo of Haaland."
    told = {"attribute": "goal", "value": "tattoo", "statement": "The user wants a tattoo."}
    found = await heard(text, words="I'm getting a tattoo of Haaland", **told)

    assert found == ()


async def test_that_somebody_is_alright_is_not_worth_keeping():
    told = {"attribute": "status", "value": "alright", "statement": "The user is alright."}
    found = await heard("alright, I live in Wigan", words="alright", **told)

    assert "alright" not in {each.value for each in found}


async def test_a_bare_name_that_a_key_does_not_take_is_no_fact():
    told = {"attribute": "name", "value": "Otto", "statement": "The user's name is Otto."}
    found = await heard("we've got a greyhound, Otto, he's 6", words="Otto", **told)

    assert "Otto" not in {each.statement for each in found}


async def test_what_refers_back_stays_with_what_it_refers_to():
    found = await heard("we've got a rescue greyhound, Otto, he's 6", statement="The user.")

    assert "we've got a rescue greyhound, Otto, he's 6" in {each.statement for each in found}


@pytest.mark.parametrize(
    ("value", "statement", "attribute"),
    [
        ("two years", "The user has been making since two years.", None),
        ("ten years", "The user worked there for ten years.", None),
        ("two years", "The user's cat is two years old.", "age"),
        ("8 months", "The user's baby is 8 months.", "age"),
        ("34", "The user is 34.", "age"),
        ("seven", "The user's daughter just turned seven.", "age"),
        ("young", "The user is young, of a young age.", None),
        ("4", "Luna tiene 4 años.", "age"),
    ],
)
def test_how_long_something_takes_is_no_age(value, statement, attribute):
    read = read_candidates([offered(attribute="age", value=value, statement=statement)])

    assert [each.attribute for each in read["facts"]] == [attribute]
    assert read["valueless"] == (attribute is None)


@pytest.mark.parametrize(("attribute", "kept"), [("hobby", None), ("goal", "goal")])
def test_a_clause_is_no_value_but_of_a_goal(attribute, kept):
    clause = "run the marathon in Porto with my two old friends next spring"
    told = {"attribute": attribute, "value": clause, "statement": f"The user wants to {clause}."}

    [read] = read_candidates([offered(**told)])["facts"]
    assert read.attribute == kept
