"""Names: people and things a text mentions."""

from memory_graph.language.mentions import entities_in, identifiers_in, people_in, qualifiers


def test_people_are_told_by_what_stands_around_their_names() -> None:
    texts = ["I met Priya, and Dr. Okafor called.", "Jonas said no.", "We flew over Madrid."]

    assert people_in(texts) == ("Priya", "Okafor", "Jonas")


def test_a_capital_at_the_start_of_a_sentence_is_no_name() -> None:
    assert entities_in(["Bread is cheap.", "We use Postgres on Monday."]) == ("Postgres",)


def test_an_opener_before_i_is_no_name() -> None:
    assert entities_in(["Righto I've paid the bill for Marta Ruiz."]) == ("Marta Ruiz",)


def test_names_of_several_words_stay_together() -> None:
    assert entities_in(["We walked to Fushimi Inari."]) == ("Fushimi Inari",)


def test_machines_and_versions_are_named_by_letters_and_digits() -> None:
    assert identifiers_in("mail-gw-02 is down, 40 GB free, faire-part") == {"mail-gw-02"}


def test_what_tells_a_thing_apart_stands_behind_it() -> None:
    told = qualifiers("HR approved a senior nurse post for dialysis, on Friday, in the morning.")

    assert told == {"senior": {"dialysi"}, "nurs": {"dialysi"}, "post": {"dialysi"}}
    assert qualifiers("Ich hab ein Angebot für den Keller.") == {"angebot": {"kell"}}
    assert qualifiers("我在上海工作。") == {}
