"""Headlines: a sentence without openers, cut where a clause ends."""

import pytest

from memory_graph.language.headlines import headline


@pytest.mark.parametrize(
    ("sentence", "language", "expected"),
    [
        ("ok so we finally picked a contractor.", "en", "Picked a contractor"),
        ("I'll remove the cron on Monday.", "en", "Will remove the cron on Monday"),
        ("We're selling the car.", "en", "Selling the car"),
        ("Übrigens, die Küche ist fertig!", "de", "Die Küche ist fertig"),
        ("No falls since October.", "en", "No falls since October"),
        ("ok", "en", "Ok"),
    ],
)
def test_openers_and_subjects_are_left_out(sentence: str, language: str, expected: str) -> None:
    assert headline(sentence, language) == expected


def test_a_long_sentence_ends_with_a_clause() -> None:
    long = (
        "The plumber found a cracked drain under the old kitchen sink in the back room, "
        "so that is another 1,200 and three days on top"
    )

    assert headline(long) == (
        "The plumber found a cracked drain under the old kitchen sink in the back room"
    )


def test_a_number_is_not_cut_in_two() -> None:
    sentence = (
        "The surveyor wants another 1,250 pounds for a report on the cellar that nobody needs"
    )

    assert "1,250" in headline(sentence, longest=60)
    assert not headline(sentence, longest=42).endswith(" 1")
