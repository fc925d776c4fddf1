"""Do statements about the same thing share a key, and others not?"""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_graph.keys import MAX_SEGMENT, canonical, fact_key, normalise, resolve_entity
from memory_graph.records import FactCandidate


def fact(attribute, value=None, **fields):
    return FactCandidate(statement="A fact.", attribute=attribute, value=value, **fields)


NORMALISED = {
    "case and space": ("Data  Engineer", "data-engineer"),
    "accents": ("Kraków", "krakow"),
    "plural": ("peanuts", "peanut"),
    "plural in -ies": ("Allergies", "allergy"),
    "plural in -es": ("dishes", "dish"),
    "possessive": ("Luna's age", "luna-age"),
    "curly possessive": ("Luna’s age", "luna-age"),
    "article": ("the cello", "cello"),
    "not a plural": ("Paris", "paris"),
    "underscores": ("native_language", "native-language"),
    "programming languages": ("C++ / C#", "c++-c#"),
    "American spelling": ("favorite color", "favourite-colour"),
    "key separator": ("x:y", "x-y"),
    "nothing left": ("!?", ""),
}

KEYS = {
    "name": (fact("name", "Ana"), "profile:name"),
    "city": (fact("city", "Porto"), "profile:city"),
    "theme": (fact("theme", "dark"), "preference:theme"),
    "employer": (fact("employer", "Acme"), "work:employer"),
    "allergy": (fact("allergy", "Peanuts"), "health:allergy:peanut"),
    "goal": (fact("goal", "run a marathon"), "goal:run-a-marathon"),
    "pet": (fact("age", "4", entity="Luna", entity_kind="cat"), "profile:pet:luna:age"),
    "person": (
        fact("birthday", "3 March", entity="Eva", entity_kind="sister"),
        "profile:person:eva:birthday",
    ),
    "in-law": (
        fact("city", "Bonn", entity="Ida", entity_kind="best friend"),
        "profile:person:ida:city",
    ),
    "unnamed relative": (
        fact("job", "nurse", entity="sister", entity_kind="sister"),
        "profile:sister:job",
    ),
    "somebody's allergy": (
        fact("allergy", "eggs", entity="Leo", entity_kind="son"),
        "profile:person:leo:allergy:egg",
    ),
    "path": (fact("favourite:colour", "green"), "preference:favourite:colour"),
    "alias": (fact("occupation", "nurse"), "work:job"),
    "alias of a path": (fact("favorite:editor", "Vim"), "preference:editor"),
    "one-off event": (
        fact("event:wedding", "2027-06-12", event_date=date(2027, 6, 12)),
        "goal:event:wedding",
    ),
    "event that recurs": (
        fact("event:exam", "2027-01-12", event_date=date(2027, 1, 12)),
        "goal:event:exam:2027-01-12",
    ),
}

NO_KEY = {
    "no attribute": fact(None),
    "unknown attribute": fact("mood", "good"),
    "bare name": fact("age", "4", entity="Luna"),
    "several values, none given": fact("allergy"),
    "path without an end": fact("favourite", "green"),
}


@pytest.mark.parametrize(("text", "expected"), NORMALISED.values(), ids=NORMALISED)
def test_normalise_folds(text, expected):
    assert normalise(text) == expected


@given(st.text(max_size=300))
def test_normalising_twice_changes_nothing(text):
    once = normalise(text)

    assert normalise(once) == once


@given(st.text(max_size=300))
def test_a_normalised_segment_is_safe_and_bounded(text):
    segment = normalise(text)

    assert len(segment) <= MAX_SEGMENT
    assert not set(segment) & set(": /.\n\x00")


@pytest.mark.parametrize(("candidate", "key"), KEYS.values(), ids=KEYS)
def test_a_fact_has_its_key(candidate, key):
    assert fact_key(candidate) == key


@pytest.mark.parametrize("candidate", NO_KEY.values(), ids=NO_KEY)
def test_without_entity_or_attribute_there_is_no_key(candidate):
    assert fact_key(candidate) is None


def test_opposite_tastes_share_a_key():
    likes, dislikes = fact("likes", "olives"), fact("dislikes", "Olives")

    assert fact_key(likes) == fact_key(dislikes) == "preference:taste:olive"
    assert (canonical(likes).value, canonical(dislikes).value) == ("like", "dislike")


def test_a_bare_name_gets_the_kind_memory_knows():
    turned_four = FactCandidate(
        statement="Luna is 4 years old.", entity="Luna", attribute="age", value="4"
    )

    resolved = resolve_entity(turned_four, {"luna": "pet"})

    assert fact_key(resolved) == "profile:pet:luna:age"
    assert resolved.statement == "The user's pet Luna is 4 years old."


def test_a_bare_relation_gets_the_only_name_memory_knows():
    nurse = fact("job", "nurse", entity="sister", entity_kind="sister")

    resolved = resolve_entity(nurse, {"eva": "sister", "luna": "cat"})

    assert fact_key(resolved) == "profile:person:eva:job"


def test_a_bare_relation_stays_bare_when_two_people_fit():
    nurse = fact("job", "nurse", entity="sister", entity_kind="sister")

    assert resolve_entity(nurse, {"eva": "sister", "mia": "sister"}) == nurse


def test_a_fact_about_the_user_is_never_moved():
    age = fact("age", "30")

    assert resolve_entity(age, {"user": "pet"}) == age


def test_an_attribute_is_called_as_the_table_calls_it():
    """A model says `location` and `time-zone`: the record must be found as the city, too."""
    where = FactCandidate(statement="The user lives in Porto.", attribute="location", value="Porto")
    when = FactCandidate(statement="The user is on UTC+2.", attribute="Time zone", value="UTC+2")
    liked = FactCandidate(statement="Ana likes olives.", attribute="taste:Olives", value="like")

    assert (canonical(where).attribute, canonical(when).attribute) == ("city", "timezone")
    assert canonical(liked).attribute == "taste:Olives"
