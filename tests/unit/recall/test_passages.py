from memory_graph.language.words import words_of
from memory_graph.recall.rendering import passage

LONG = (
    "Good afternoon to you all, and thank you for having me here today. "
    + "I have been writing every morning at the kitchen table since the spring. " * 6
    + "My late husband Gerald was a railway engineer from Crewe. "
    + "The weather has been dreadful and I have hardly left the house. " * 6
)


def test_a_short_turn_is_shown_whole_on_one_line():
    assert passage("Two\nlines.", ["line"]) == "Two lines."


def test_of_a_long_turn_the_passage_that_fits_is_shown():
    shown = passage(LONG, words_of("What was Gerald's job?"), 200)

    assert "railway engineer" in shown
    assert shown.startswith("… ")
    assert shown.endswith("…")
    assert len(shown) <= 204


def test_a_sentence_longer_than_the_room_is_cut():
    assert len(passage("bees " * 200, ["bee"], 100)) <= 104


def test_room_that_is_left_takes_the_beginning_of_the_next_sentence():
    decided = "I have been thinking about the book. " + "It will have twelve chapters, " * 20

    shown = passage(decided, words_of("What did I decide about the book?"), 200)

    assert "twelve chapters" in shown
    assert len(shown) <= 200
