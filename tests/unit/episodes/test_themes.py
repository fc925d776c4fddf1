from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_graph.episodes.themes import (
    match_stories,
    match_themes,
    theme_of,
    theme_of_episode,
)
from memory_graph.records import EpisodeMetadata
from tests.examples import NOON, an_episode

texts = st.lists(st.text(max_size=40), max_size=4)


def test_a_shared_name_alone_is_not_a_shared_story() -> None:
    one = theme_of(["Elena was bullied on the bus"], ["Elena"])
    other = theme_of(["Elena won the chess tournament"], ["Elena"])
    story = theme_of(["Elena changed seats on the bus after she was bullied"], ["Elena"])

    assert match_themes(one, other, 0.4).similarity < 0.75
    assert match_themes(one, story, 0.6).similarity > 0.85


def test_names_that_differ_speak_against_one_story() -> None:
    acme = theme_of(["the pilot meeting with the client Acme"], ["Acme"])
    nobody = theme_of(["the pilot meeting with the client"])
    other = theme_of(["the pilot meeting with the client Borealis"], ["Borealis"])

    assert match_themes(acme, other, 0.6).similarity < match_themes(acme, nobody, 0.6).similarity


def test_words_of_any_story_count_little() -> None:
    fixed = theme_of(["we decided it yesterday, fixed the problem and it works today"])
    again = theme_of(["we fixed the problem, it works now, decided it today"])

    assert match_themes(fixed, again, 0.3).similarity < 0.75


@given(texts, texts, st.floats(0, 1))
def test_likeness_is_symmetric_and_within_bounds(
    one: list[str], other: list[str], meaning: float
) -> None:
    there = match_themes(theme_of(one), theme_of(other), meaning)
    back = match_themes(theme_of(other), theme_of(one), meaning)

    assert there == back
    assert 0 <= there.similarity <= 1


def test_an_episode_is_its_own_story() -> None:
    theme = theme_of_episode(an_episode())

    assert match_themes(theme, theme, 1.0).similarity > 0.85


def test_two_machines_are_two_stories_however_alike_their_troubles_read() -> None:
    one = theme_of(["the disk of nas-11 is full, backups fail"])
    other = theme_of(["the disk of mail-gw-02 is full, mails fail"])
    again = theme_of(["new disks for nas-11 have arrived"])

    assert match_themes(one, other, 0.9).similarity < 0.25
    assert match_themes(one, again, 0.5).similarity > 0.85


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (
            "The tiler can start on the bathroom in the corner house on Monday, deposit is paid.",
            "And I finally got a tiler for the bathroom in the attic flat, he wants 1,900.",
        ),
        (
            "Der Mieter im Obergeschoss hat den Vertrag gekündigt.",
            "Die Mieterin im Erdgeschoss hat endlich den Vertrag unterschrieben.",
        ),
        (
            "Ya tengo la licencia de obra para el bar, empezamos el lunes.",
            "También me han dado la licencia de obra para el piso de mi madre.",
        ),
    ],
)
def test_things_of_one_kind_of_two_places_are_two_stories(earlier: str, later: str) -> None:
    other = match_themes(theme_of([later]), theme_of([earlier]), 0.5)

    assert "other_ones" in other.parts
    assert other.similarity < 0.6


def test_a_thing_told_apart_once_more_is_the_same_one() -> None:
    told = theme_of(["The boiler at the old mill died overnight."])
    again = theme_of(["They ordered a part for the boiler at the mill."])
    plain = theme_of(["The boiler is fixed, for now."])

    assert "other_ones" not in match_themes(again, told, 0.5).parts
    assert "other_ones" not in match_themes(plain, told, 0.5).parts


def test_a_compound_shares_its_parts() -> None:
    one = theme_of(["Wir brauchen Hilfe beim Umzug"])
    other = theme_of(["Die Umzugskartons sind bestellt"])

    assert "words" in match_themes(one, other, 0.3).parts


def test_a_story_is_known_by_all_that_was_told_of_it() -> None:
    leak = an_episode("leak", title="The gutter leaks into the bedroom wall", summary="…")
    quote = an_episode(
        "quote", title="The roofer wants 900 for it", summary="…", parent_episode_id="leak"
    )
    later = theme_of(["the bedroom wall is dry since the gutter was mended"])

    alone = match_stories(later, [(quote, 0.3)], NOON)
    together = match_stories(later, [(quote, 0.3), (leak, 0.3)], NOON)

    assert alone[0] < 0.85 < together[0]
    assert together[0] == together[1]


def test_a_word_of_several_stories_does_not_tell_which_is_meant() -> None:
    oak = an_episode("oak", title="The boiler in Oak Street broke", summary="…")
    elm = an_episode("elm", title="The boiler in Elm Street leaks", summary="…")
    later = theme_of(["a new boiler was ordered"])

    [only] = match_stories(later, [(oak, 0.3)], NOON)
    [one, other] = match_stories(later, [(oak, 0.3), (elm, 0.3)], NOON)

    assert max(one, other) < only


def test_a_name_alone_tells_more_while_its_story_is_fresh() -> None:
    van = an_episode("van", title="Drove the Quasar, 90,000 miles", summary="…")
    van = van.model_copy(update={"metadata": EpisodeMetadata(entities=("Quasar",))})
    loan = theme_of(["the bank knocked back the loan for the Quasar"], ["Quasar"])

    [soon] = match_stories(loan, [(van, 0.3)], NOON + timedelta(days=2))
    [later] = match_stories(loan, [(van, 0.3)], NOON + timedelta(days=20))

    assert later < 0.85 < soon


def test_the_only_story_at_hand_needs_less_to_go_on_the_next_day() -> None:
    boiler = an_episode(id="boiler", title="The boiler broke down", summary="No hot water.")
    oven = an_episode(id="oven", title="The oven was sold", summary="A neighbour took it.")
    later = theme_of(["it is finally twenty degrees in the living room"])
    tomorrow = NOON + timedelta(days=1)

    [only] = match_stories(later, [(boiler, 0.4)], tomorrow)
    [one, _] = match_stories(later, [(boiler, 0.4), (oven, 0.1)], tomorrow)
    [same_day] = match_stories(later, [(boiler, 0.4)], NOON + timedelta(hours=2))

    assert only > one == same_day
