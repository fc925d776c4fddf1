"""What people say of themselves, in several languages."""

import pytest

from memory_graph.language.facts import read_profile
from memory_graph.language.statements import said_to_user
from memory_graph.language.words import language_of


def _read(text: str) -> dict[str, str | None]:
    read = read_profile(text, language_of(text))
    return {str(each.candidate.attribute): each.candidate.value for each in read}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Guten Abend! Ich heiße Jonas, bin 42 und arbeite als Dachdecker bei Holzbau Meier.",
            {"name": "Jonas", "age": "42", "job": "Dachdecker", "employer": "Holzbau Meier"},
        ),
        ("Ich wohne mit meiner Schwester in Halle.", {"city": "Halle"}),
        ("Wir sind im Mai nach Bad Tölz gezogen.", {"city": "Bad Tölz"}),
        (
            "Me llamo Inés, tengo 31 años, soy enfermera y vivo en San Juan.",
            {"name": "Inés", "age": "31", "job": "enfermera", "city": "San Juan"},
        ),
        (
            "Je m'appelle Salomé, j'ai 25 ans et je travaille chez Michelin.",
            {"name": "Salomé", "age": "25", "employer": "Michelin"},
        ),
        ("Me mudo a Benimaclet el día 1 de marzo.", {"city": "Benimaclet"}),
        ("Je déménage à Grenoble en janvier.", {"city": "Grenoble"}),
        ("我们下周搬到佛山去住。", {"city": "佛山"}),
        ("Evening. Grace here, I keep goats.", {"name": "Grace"}),
        ("so I just moved into a new flat in Leith with my partner", {"city": "Leith"}),
        ("We rent a tiny apartment in Lyon.", {"city": "Lyon"}),
    ],
)
def test_who_somebody_is_has_keys_in_their_language(text: str, expected: dict[str, str]) -> None:
    assert _read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Ich heiße euch herzlich willkommen.",
        "Früher habe ich in Köln gewohnt.",
        "Wenn ich in Rom wohne, kaufe ich eine Vespa.",
        "No me llamo Pepe.",
        "Antes vivía en Quito.",
        "¿Vivo en Lima?",
        "Soy celíaca.",
        "Same here, I love it.",
        "My brother moved into a house in Graz.",
        "I'm thinking of renting a place in Bath.",
        "I used to live in a flat in Rome.",
        "Je suis fatiguée.",
    ],
)
def test_what_is_denied_supposed_asked_or_past_is_not_read(text: str) -> None:
    assert _read(text) == {}


def test_a_home_left_ends_and_the_new_one_is_read() -> None:
    read = read_profile("Ya no vivo en Triana, ahora vivo en Cádiz.", "es")
    assert [(each.candidate.value, each.candidate.retracts) for each in read] == [
        ("Triana", True),
        ("Cádiz", False),
    ]


def test_an_attribute_is_said_in_the_language_of_who_asks() -> None:
    assert said_to_user("name", "Ana", "de") == "Du heißt Ana."
    assert said_to_user("hobby", "chess", "de") is None
