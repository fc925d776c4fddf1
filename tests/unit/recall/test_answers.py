from datetime import timedelta
from zoneinfo import ZoneInfo

from memory_graph.recall.lines import Line, Sought, said_at
from memory_graph.recall.rendering import Telling, tell, tell_all, tell_best
from memory_graph.records import FactVersion
from tests.examples import NOON, a_fact, a_turn, an_episode

ENGLISH = Telling("en", ZoneInfo("UTC"), NOON)
EARLIER = NOON - timedelta(days=3)


def a_line(record, relevance=0.6, **given) -> Line:
    return Line(record=record, fit=relevance, relevance=relevance, at=said_at(record), **given)


def test_a_keyed_fact_is_said_in_the_second_person():
    line = a_line(a_fact(attribute="city", value="Lisbon"))

    assert tell(line, ENGLISH) == "You live in Lisbon."


def test_own_words_are_quoted_with_their_day():
    assert tell(a_line(a_turn("I keep bees.", said_at=EARLIER)), ENGLISH) == (
        "You told me on Friday, 13 November: “I keep bees.”"
    )


def test_a_fact_in_own_words_is_quoted():
    line = a_line(a_fact(statement="My sister Anu marries in Goa."))

    assert tell(line, ENGLISH) == "You told me today: “My sister Anu marries in Goa.”"


def test_the_frame_is_in_the_language_of_the_question():
    german = Telling("de", ZoneInfo("UTC"), NOON)

    assert tell(a_line(a_turn("Ich wohne in Kiel.")), german) == (
        "Du hast mir gesagt (heute): “Ich wohne in Kiel.”"
    )


def test_an_episode_is_told_by_its_summary():
    assert tell(a_line(an_episode(summary="We chose the barn.")), ENGLISH) == (
        "Today: We chose the barn."
    )


def test_the_best_of_two_is_told_first_and_what_is_older_as_earlier():
    old = a_line(a_turn("The budget is 14.", said_at=EARLIER))
    new = a_line(a_turn("The budget is 18 now."))

    first, second = tell_best([new, old], ENGLISH)

    assert first == "You told me today: “The budget is 18 now.”"
    assert second.startswith("Earlier (on Friday, 13 November) you said: “The budget is 14.”")
    assert tell_best([old, new], ENGLISH)[1] == first


def test_an_episode_that_only_repeats_what_is_told_is_left_out():
    said = a_line(a_turn("The backups now run at 03:30."))
    episode = an_episode("e1", title="Backups on bak02", summary="The backups now run at 03:30.")

    assert len(tell_best([said, a_line(episode)], ENGLISH)) == 1


def test_what_is_far_behind_or_past_is_not_told():
    best = a_line(a_turn("I keep bees."))
    far = a_line(a_turn("I had soup."), relevance=0.2)
    past = a_line(a_turn("I keep hens."), over_since=NOON)

    assert len(tell_best([best, far], ENGLISH)) == 1
    assert len(tell_best([best, past], ENGLISH)) == 1


def test_only_a_past_value_is_told_as_past():
    [told] = tell_best([a_line(a_turn("I keep hens."), over_since=NOON)], ENGLISH)

    assert "no longer true since 16 November 2026" in told


def test_what_was_before_is_told_of_every_change_the_latest_first():
    before, then = (
        FactVersion(statement=said, valid_from=EARLIER, valid_to=until)
        for said, until in (("I share a flat in Ulm.", EARLIER), ("I move to Aalen in May.", NOON))
    )
    moved = a_fact("f1", "I moved early.", own_words=True, history=(before, then))

    told = tell_best([a_line(moved)], ENGLISH, Sought.of("Where did I live before?", "en"))

    assert ["Aalen" in told[0], "Ulm" in told[1]] == [True, True]


def test_a_time_is_told_by_what_says_most_in_its_order():
    small = a_line(a_turn("lol", notable=0.0, said_at=EARLIER))
    second = a_line(a_turn("We moved.", notable=0.9))
    first = a_line(a_turn("I quit.", notable=0.9, said_at=EARLIER))

    told = tell_all([small, second, first], ENGLISH, most=2)

    assert ["I quit." in told[0], "We moved." in told[1]] == [True, True]
