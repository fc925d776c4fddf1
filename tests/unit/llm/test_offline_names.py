"""Names: people and things a text mentions."""

from memory_graph.llm.offline.names import entities_in, people_in


def test_people_are_told_by_what_stands_around_their_names() -> None:
    texts = ["I met Priya, and Dr. Okafor called.", "Jonas said no.", "We flew over Madrid."]

    assert people_in(texts) == ("Priya", "Okafor", "Jonas")


def test_a_capital_at_the_start_of_a_sentence_is_no_name() -> None:
    assert entities_in(["Bread is cheap.", "We use Postgres on Monday."]) == ("Postgres",)


def test_names_of_several_words_stay_together() -> None:
    assert entities_in(["We walked to Fushimi Inari."]) == ("Fushimi Inari",)
