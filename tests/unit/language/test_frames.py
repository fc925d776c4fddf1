from datetime import date

import pytest

from memory_graph.language import frames as module
from memory_graph.language.frames import frames_for, is_from_memory_alone
from memory_graph.language.words import table

LANGUAGES = table("frames")
TODAY = date(2026, 11, 16)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_sentence_with_the_same_slots(language):
    english, other = LANGUAGES["en"], LANGUAGES[language]

    assert other.keys() == english.keys()
    for name in ("told", "earlier", "said", "named", "happened", "meant", "over", "unsure"):
        assert set(module._SLOT.findall(other[name])) == set(module._SLOT.findall(english[name]))
    assert len(other["weekdays"].split()) == 7
    assert len(other["months"].split()) == 12


def test_a_language_without_sentences_gets_english_ones():
    assert frames_for("fi")["noted"] == "Noted."


@pytest.mark.parametrize(
    ("day", "said"),
    [
        (date(2026, 11, 16), "today"),
        (date(2026, 11, 15), "yesterday"),
        (date(2026, 11, 2), "on Monday, 2 November"),
        (date(2024, 3, 1), "on 1 March 2024"),
    ],
    ids=str,
)
def test_a_day_is_named_as_people_do(day, said):
    assert frames_for("en").day(day, TODAY) == said


@pytest.mark.parametrize("language", LANGUAGES)
def test_our_own_replies_are_known_again(language):
    frames = frames_for(language)
    told = frames.fill("told", when=frames["today"], words="I live in Rome.")

    for reply in (frames["noted"], frames["unknown"], frames["start"], told, frames.unsure(told)):
        assert is_from_memory_alone(reply)


@pytest.mark.parametrize(
    "reply", ["Ordered: 15 kg of mozzarella.", "You could try Lisbon.", "Notebooks are cheap."]
)
def test_other_replies_are_not_taken_for_ours(reply):
    assert not is_from_memory_alone(reply)
