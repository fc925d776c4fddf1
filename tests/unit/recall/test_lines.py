from datetime import timedelta

import pytest

from memory_graph.recall.lines import Sought, gather, text_of
from memory_graph.records import FactVersion, Source
from memory_graph.store.collection import Found
from tests.examples import NOON, a_fact, a_turn, an_episode

EARLIER = NOON - timedelta(days=3)


def found(record, fit=0.5, **given):
    return Found(record, fit, {}, fit, fit, fit, **given)


def ids(lines):
    return [line.record.id for line in lines]


def test_the_best_comes_first_whatever_its_kind():
    lines = gather(
        [found(a_fact("fact"), 0.3)],
        [found(a_turn("Ten hives.", id="turn"), 0.9)],
        [found(an_episode("episode"), 0.6)],
    )

    assert ids(lines) == ["turn", "episode", "fact"]


def test_of_lines_that_fit_as_well_the_newer_comes_first():
    old = a_turn("The budget is 14.", id="old", said_at=EARLIER)
    new = a_turn("So the budget is 18 now.", id="new", said_at=NOON)

    assert ids(gather([], [found(old, 0.52), found(new, 0.5)], [])) == ["new", "old"]
    assert ids(gather([], [found(old, 0.9), found(new, 0.2)], [])) == ["old", "new"]


def test_a_turn_whose_day_has_moved_is_past_for_a_question_that_asks_when():
    told = Source(message_ids=("m1",))
    before = FactVersion(
        statement="Date is 12 June 2027.", valid_from=EARLIER, valid_to=NOON, source=told
    )
    moved = a_fact("moved", "The date moves to 19 June.", own_words=True, history=(before,))
    turn = a_turn("I'm planning my wedding. Date is 12 June 2027.", source=told)

    lines = gather([found(moved)], [found(turn)], [], Sought.of("When is the wedding?", "en"))

    assert [line.over_since for line in lines if line.record is turn] == [NOON]


def test_what_is_left_of_a_changed_fact_was_said_when_it_became_true():
    [line] = gather([found(a_fact("left", created_at=EARLIER, valid_from=NOON))], [], [])

    assert line.at == NOON


def test_a_turn_whose_fact_has_changed_is_past_and_comes_behind():
    told = Source(message_ids=("m1",))
    before = FactVersion(
        statement="The user lives in Porto.",
        value="Porto",
        valid_from=EARLIER,
        valid_to=NOON,
        source=told,
    )
    fact = a_fact("city", history=(before,), value="Lisbon")
    turn = a_turn("I live in Porto.", source=told)

    first, last = gather([found(fact, 0.5)], [found(turn, 0.51)], [])

    assert (first.record.id, first.over_since) == ("city", None)
    assert last.over_since == NOON


def test_a_fact_fits_as_well_as_the_turn_whose_place_it_took():
    told = Source(message_ids=("m1",))
    before = FactVersion(
        statement="The appointment is on the 18th.", valid_from=EARLIER, valid_to=NOON, source=told
    )
    moved = a_fact("moved", "They moved it, it is the 23rd now.", history=(before,))
    turn = a_turn("The appointment is on the 18th.", id="old", source=told, said_at=EARLIER)

    lines = gather([found(moved, 0.2)], [found(turn, 0.9)], [])

    assert ids(lines) == ["moved", "old"]
    assert lines[0].relevance == lines[1].relevance


def test_sentences_of_a_message_are_told_as_the_message():
    told = Source(message_ids=("m1",))
    facts = [
        found(a_fact("f1", "oh and moved studio", source=told), 0.8),
        found(a_fact("f2", "I'm at Rua do Século 41 now", source=told), 0.3),
    ]
    turn = a_turn("oh and moved studio, I'm at Rua do Século 41 now", id="turn", source=told)

    [line] = gather(facts, [found(turn, 0.5)], [])

    assert (line.record.id, line.relevance) == ("turn", 0.8)


def test_a_fact_that_changed_is_told_as_the_message_that_changed_it():
    first, then = Source(message_ids=("m1",)), Source(message_ids=("m1", "m2"))
    before = FactVersion(
        statement="The scan is on the 1st.", valid_from=EARLIER, valid_to=NOON, source=first
    )
    changed = a_fact("f1", "They did no scan.", source=then, history=(before,))
    beside = a_fact("f2", "It is on Friday.", source=Source(message_ids=("m2",)))
    turn = a_turn("They did no scan. It is on Friday.", id="turn", source=beside.source)

    [line] = gather([found(changed, 0.4), found(beside, 0.3)], [found(turn, 0.9)], [])

    assert line.record.id == "f1"
    assert text_of(line) == turn.text
    assert line.relevance == pytest.approx(found(turn, 0.9).relevance)


def test_a_fact_that_ended_is_not_told_but_its_turn_is_past():
    told = Source(message_ids=("m1",))
    fact = a_fact("city", source=told, valid_to=NOON)

    [line] = gather([found(fact)], [found(a_turn("I live in Lisbon.", source=told))], [])

    assert line.over_since == NOON


def test_what_a_fact_says_of_its_message_is_not_told_twice():
    told = Source(message_ids=("m1",))
    keyed = a_fact("keyed", "The user lives in Lisbon.", source=told, attribute="city")
    turn = a_turn("I live in Lisbon.", source=told)

    assert ids(gather([found(keyed)], [found(turn)], [])) == ["keyed"]


def test_an_episode_that_only_repeats_turns_is_left_out():
    turn = a_turn("We chose the barn by the river.", id="turn")
    episode = an_episode("ep", summary="The user said: We chose the barn by the river.")

    assert ids(gather([], [found(turn)], [found(episode)])) == ["turn"]


def test_small_talk_comes_behind_what_tells_something():
    small = found(a_turn("lol ok", id="small", notable=0.0), 0.35)
    tells = found(a_turn("I keep bees.", id="tells", notable=1.0, said_at=EARLIER), 0.35)

    assert ids(gather([], [small, tells], [])) == ["tells", "small"]
