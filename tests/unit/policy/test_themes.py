from hypothesis import given
from hypothesis import strategies as st

from memory_graph.policy.themes import match_themes, theme_of, theme_of_episode
from tests.examples import an_episode

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
