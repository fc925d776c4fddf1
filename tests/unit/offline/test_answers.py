from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from memory_graph.offline.answers import Voice, answer, tell, tell_all, tell_best
from memory_graph.recall.lines import Line, said_at
from memory_graph.records import FactVersion
from tests.examples import NOON, a_fact, a_turn, an_episode

ENGLISH = Voice("en", ZoneInfo("UTC"), NOON)
EARLIER = NOON - timedelta(days=3)


def a_line(record, relevance=0.6, **given) -> Line:
    return Line(record=record, fit=relevance, relevance=relevance, at=said_at(record), **given)


def asking(question: str) -> Voice:
    return Voice("en", ZoneInfo("UTC"), NOON, question)


def a_part(kind: str, found: str = "found", count: int = 1):
    return {"kind": kind, "found": found, "count": count, "lines": []}


def test_a_keyed_fact_is_said_in_the_second_person():
    line = a_line(a_fact(attribute="city", value="Lisbon"))

    assert tell(line, ENGLISH) == "You live in Lisbon."


def test_words_are_quoted_with_their_day():
    assert tell(a_line(a_turn("I keep bees.", said_at=EARLIER)), ENGLISH) == (
        "You told me on Friday, 13 November: “I keep bees.”"
    )


def test_the_frame_is_in_the_language_of_the_question():
    german = Voice("de", ZoneInfo("UTC"), NOON)

    assert tell(a_line(a_turn("Ich wohne in Kiel.")), german) == (
        "Du hast mir gesagt (heute): “Ich wohne in Kiel.”"
    )


def test_an_episode_is_told_by_its_summary():
    assert tell(a_line(an_episode(summary="We chose the barn.")), ENGLISH) == (
        "Today: We chose the barn."
    )


def test_what_is_to_come_says_from_when():
    coming = a_fact(statement="The user lives in Porto.", valid_from=NOON + timedelta(days=60))

    assert tell(a_line(coming), ENGLISH) == "You live in Porto. (from 15 January 2027)"


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


def test_what_is_far_behind_past_or_outdated_is_not_told():
    best = a_line(a_turn("I keep bees."))
    far = a_line(a_turn("I had soup."), relevance=0.2)
    past = a_line(a_turn("I keep hens."), over_since=NOON)
    older = a_line(a_turn("I keep geese."), is_older=True)

    assert [len(tell_best([best, other], ENGLISH)) for other in (far, past, older)] == [1, 1, 1]


def test_only_a_past_value_is_told_as_past():
    [told] = tell_best([a_line(a_turn("I keep hens."), over_since=NOON)], ENGLISH)

    assert "no longer true since 16 November 2026" in told


def test_what_was_before_is_told_of_every_change_the_latest_first():
    before, then = (
        FactVersion(statement=said, valid_from=EARLIER, valid_to=until)
        for said, until in (("The user lives in Ulm.", EARLIER), ("The user lives in Bonn.", NOON))
    )
    moved = a_fact("f1", "The user lives in Kiel.", history=(before, then))

    told = tell_best([a_line(moved)], asking("Where did I live before?"))

    assert ["Bonn" in told[0], "Ulm" in told[1]] == [True, True]


def test_what_was_never_so_is_not_told_as_past():
    wrong = FactVersion(
        statement="The user lives in Ulm.",
        valid_from=EARLIER,
        valid_to=NOON,
        was_wrong=True,
    )
    fact = a_fact("f1", "The user lives in Kiel.", history=(wrong,))

    assert tell_best([a_line(fact)], asking("Where did I live before?")) == ["You live in Kiel."]


def test_a_time_is_told_by_what_says_most_in_its_order():
    lines = [
        a_line(a_turn(f"Remark {number}.", id=f"t{number}", notable=0.1)) for number in range(4)
    ]
    second = a_line(a_turn("We moved.", id="moved", notable=0.9))
    first = a_line(a_turn("I quit.", id="quit", notable=0.9, said_at=EARLIER))

    told = tell_all([*lines, second, first], ENGLISH)

    assert "I quit." in told[0]
    assert any("We moved." in each for each in told)
    assert len(told) == 4


async def test_a_time_is_not_answered_by_another_one():
    then = a_line(a_turn("We moved.", id="moved"), is_in_time=True)
    later = a_line(a_turn("I quit.", id="quit"))

    told = await answer(a_part("time"), [later, then], asking("What happened yesterday?"))

    assert [("We moved." in each) for each in told] == [True]


async def test_what_was_decided_is_answered_by_decisions():
    decided = a_line(a_turn("We decided to go with Twilio.", id="d"), is_in_time=True)
    talk = a_line(a_turn("The weather is dreadful.", id="w"), is_in_time=True)

    told = await answer(a_part("time"), [talk, decided], asking("What did we decide today?"))

    assert ["Twilio" in each for each in told] == [True]


async def test_what_was_decided_and_replaced_is_not_told_as_current():
    older = a_turn("We decided on twelve chapters.", id="d", outdated_at=NOON, outdated_by="e")
    old = a_line(older, is_in_time=True, is_older=True)
    new = a_line(a_turn("I shall write eight chapters instead.", id="e"), is_in_time=True)

    told = await answer(a_part("time"), [old, new], asking("What did we decide today?"))

    assert ["eight" in each for each in told] == [True]


@pytest.mark.parametrize(("count", "more"), [(2, False), (12, True)])
async def test_who_asks_what_is_known_of_them_reads_a_short_page(count: int, more: bool):
    lines = [a_line(a_fact(f"f{n}", f"The user has {n} hens.")) for n in range(min(count, 8))]

    [page] = await answer(a_part("profile", count=count), lines, ENGLISH)

    assert page.splitlines()[:2] == ["This is what I know about you:", "- You have 0 hens."]
    assert ("And 4 more" in page) is more
