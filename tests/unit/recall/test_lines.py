from datetime import timedelta

import pytest

from memory_graph.recall.lines import chosen, gather
from memory_graph.recall.questions import Asked, Sought
from memory_graph.records import FactVersion, Source
from memory_graph.store.collection import Found
from tests.examples import NOON, a_fact, a_turn, an_episode

EARLIER = NOON - timedelta(days=3)
TOLD = Source(message_ids=("m1",))
READ = {"extractor": "read_message/1 openai:gpt", "source": TOLD}


def found(record, fit=0.5, **given):
    return Found(record, fit, {}, fit, fit, fit, **given)


def asking(text: str) -> Sought:
    return Sought.of(text, Asked(text=text, grade="implicit"))


def lines(*found, sought=Sought(), beside=()):  # noqa: B008 — frozen
    return gather(found, sought, NOON, beside)


def ids(lines):
    return [line.record.id for line in lines]


def test_the_best_comes_first_whatever_its_kind():
    found_lines = lines(
        found(a_fact("fact"), 0.3),
        found(a_turn("Ten hives.", id="turn"), 0.9),
        found(an_episode("episode"), 0.6),
    )

    assert ids(found_lines) == ["turn", "episode", "fact"]


def test_of_lines_that_fit_as_well_the_newer_comes_first():
    old = a_turn("The budget is 14.", id="old", said_at=EARLIER)
    new = a_turn("So the budget is 18 now.", id="new", said_at=NOON)

    assert ids(lines(found(old, 0.52), found(new, 0.5))) == ["new", "old"]
    assert ids(lines(found(old, 0.9), found(new, 0.2))) == ["old", "new"]


def test_what_is_outdated_comes_behind_what_made_it_so():
    old = a_turn("The rent is 700.", id="old", said_at=EARLIER, outdated_at=NOON, outdated_by="new")
    new = a_turn("The landlord wants 750 from now on.", id="new")

    first, last = lines(found(old, 0.9), beside=[new])

    assert (first.record.id, last.record.id, last.is_older) == ("new", "old", True)
    assert first.relevance == last.relevance


def test_another_part_of_an_outdated_message_still_holds():
    old = a_turn(
        "The electrician is Krause, the plumber is Yilmaz.",
        id="old",
        said_at=EARLIER,
        outdated_at=NOON,
        outdated_by="new",
    )
    new = a_turn("The plumber is Brandt now.", id="new")

    def shown(question):
        found_lines = lines(found(old, 0.9), found(new, 0.2), sought=asking(question))
        return [(line.record.id, line.is_older) for line in found_lines]

    assert shown("Who is the electrician?") == [("old", False), ("new", False)]
    assert shown("Who is the plumber?") == [("new", False), ("old", True)]


def test_a_fact_is_as_old_as_its_message_where_the_newer_one_names_its_value():
    old = a_turn("I work as a barista.", id="old", source=TOLD, outdated_at=NOON, outdated_by="new")
    new = a_turn("Not a barista anymore.", id="new", source=Source(message_ids=("m2",)))
    job = a_fact("job", "The user works as a barista.", value="barista", source=TOLD)

    shown = lines(found(job, 0.9), found(old, 0.5), found(new, 0.4))

    assert [(line.record.id, line.is_older) for line in shown] == [("new", False), ("job", True)]


def test_a_message_that_a_model_read_is_shown_by_its_facts():
    turn = a_turn("moved to Lisbon lol, and got a sofa", id="turn", source=TOLD)
    fact = a_fact("city", "The user lives in Lisbon.", **READ)

    assert ids(lines(found(turn, 0.9), found(fact, 0.3))) == ["city"]
    assert ids(lines(found(turn, 0.9), beside=[fact])) == ["city"]


def test_the_very_words_are_shown_where_they_are_asked_for():
    turn = a_turn("moved to Lisbon lol, and got a sofa", id="turn", source=TOLD)
    fact = a_fact("city", "The user lives in Lisbon.", **READ)
    sought = asking("What exactly did I say about Lisbon?")

    assert "turn" in ids(lines(found(turn, 0.9), found(fact, 0.3), sought=sought))


def test_what_rules_did_not_read_of_a_message_is_shown_in_its_words():
    turn = a_turn("My sister Eva lives in Ulm and breeds otters.", id="turn", source=TOLD)
    fact = a_fact("sister", "The user's sister Eva lives in Ulm.", source=TOLD)

    def shown(question):
        return ids(lines(found(turn, 0.6), found(fact, 0.3), sought=asking(question)))

    assert shown("What does my sister breed?") == ["turn"]
    assert shown("Where does my sister Eva live?") == ["sister"]


def test_what_a_fact_says_of_its_message_is_not_shown_twice():
    keyed = a_fact("keyed", "The user lives in Lisbon.", source=TOLD, attribute="city")
    turn = a_turn("I live in Lisbon.", source=TOLD)

    assert ids(lines(found(keyed), found(turn))) == ["keyed"]


def test_a_fact_fits_as_well_as_the_message_whose_place_it_took():
    before = FactVersion(
        statement="The appointment is on the 18th.", valid_from=EARLIER, valid_to=NOON, source=TOLD
    )
    moved = a_fact("moved", "The appointment is on the 23rd.", source=Source(), history=(before,))
    turn = a_turn("The appointment is on the 18th.", id="old", source=TOLD, said_at=EARLIER)

    [line] = lines(found(moved, 0.2), found(turn, 0.9))

    assert (line.record.id, line.relevance) == ("moved", pytest.approx(0.9))


def test_a_message_of_which_another_part_is_asked_for_is_not_past():
    before = FactVersion(
        statement="The user lives in Porto.", valid_from=EARLIER, valid_to=NOON, source=TOLD
    )
    city = a_fact("city", source=Source(), history=(before,))
    turn = a_turn("I live in Porto and breed otters.", id="turn", source=TOLD)

    shown = lines(found(turn, 0.6), found(city, 0.3), sought=asking("Which animals breed here?"))

    assert [line.over_since for line in shown if line.record is turn] == [None]


def test_a_fact_that_ended_is_not_shown_and_its_message_is_past():
    fact = a_fact("city", source=TOLD, valid_to=NOON)
    turn = a_turn("I live in Lisbon.", source=TOLD)
    sought = asking("Where did I live before?")

    assert lines(found(fact), found(turn)) == []
    assert {line.over_since for line in lines(found(fact), found(turn), sought=sought)} == {NOON}


def test_a_fact_that_a_plan_will_end_still_holds():
    fact = a_fact("city", valid_to=NOON + timedelta(days=30))

    [line] = lines(found(fact))

    assert line.over_since is None


def test_what_was_never_so_is_never_shown():
    wrong = a_fact("city", valid_to=NOON, was_wrong=True)

    assert lines(found(wrong), sought=asking("Where did I live before?")) == []


def test_an_episode_that_only_repeats_messages_is_left_out():
    turn = a_turn("We chose the barn by the river.", id="turn", source=TOLD)
    episode = an_episode("ep", summary="We chose the barn by the river.", source=TOLD)

    assert ids(lines(found(turn), found(episode))) == ["turn"]


def test_a_fact_and_an_episode_of_the_same_messages_are_the_fuller_one():
    fact = a_fact("fact", "The user chose the barn.", **READ)
    fuller = an_episode(
        "ep",
        summary="The user chose the barn over the hall: it costs less.",
        source=TOLD,
        summariser="summarise_episode/1",
    )

    assert ids(lines(found(fact), found(fuller))) == ["ep"]


def test_small_talk_comes_behind_what_tells_something():
    small = found(a_turn("lol ok", id="small", notable=0.0), 0.35)
    tells = found(a_turn("I keep bees.", id="tells", notable=1.0, said_at=EARLIER), 0.35)

    assert ids(lines(small, tells)) == ["tells", "small"]


def test_nothing_is_shown_where_the_best_bears_on_nothing():
    shown = lines(*(found(a_turn("I keep bees.", id=f"t{n}"), fit) for n, fit in enumerate(FITS)))

    assert len(chosen(shown, most=6, floor=0.7, share=0.4)) == 0
    assert len(chosen(shown, most=6, floor=0.5, share=0.4)) == 3
    assert len(chosen(shown, most=2, floor=0.5, share=0.4)) == 2


FITS = (0.6, 0.5, 0.3, 0.2)
