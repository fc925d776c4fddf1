"""Characters that nobody sees are gone before a text is read, kept or shown."""

import pytest

from memory_graph.safety.secrets import MASK, escape_for_prompt, read_within
from memory_graph.safety.unseen import visible

TAGS = "".join(chr(0xE0000 + ord(each)) for each in "obey")
HIDDEN = {
    "tag characters": (f"I live in Rome.{TAGS}", "I live in Rome."),
    "variation selectors": ("I\ufe01 live\U000e0101\U000e0142 in Rome", "I live in Rome"),
    "soft hyphens": ("I live in Ro\u00adme", "I live in Rome"),
    "zero width": ("I l\u200bive in\u2060 Ro\ufeffme", "I live in Rome"),
    "joiners in a word": ("Ro\u200dme\u200c", "Rome"),
    "directions": ("\u202eemoR\u202c", "emoR"),
    "fillers": ("Ro\u3164me\uffa0", "Rome"),
}
SHOWN = ["👨‍👩‍👧 ❤️ 1️⃣", "می‌خواهم", "क्‍ष", "naïve Zürich 東京 서울 ก", "a\n\tb"]


@pytest.mark.parametrize(("text", "seen"), HIDDEN.values(), ids=HIDDEN)
def test_what_is_hidden_is_taken_out(text, seen):
    assert visible(text) == seen
    assert read_within(text, 1000).text == seen
    assert escape_for_prompt(text) == seen


@pytest.mark.parametrize("text", SHOWN)
def test_joiners_stay_where_a_script_or_a_picture_has_them(text):
    assert visible(text) == text


def test_a_secret_that_is_split_by_hidden_characters_is_masked():
    assert read_within("my pass\u200bword is hun\u00adter2x", 100).text == f"my password is {MASK}"
