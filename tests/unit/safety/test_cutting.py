import pytest

from memory_graph.safety.secrets import MASK, read_within

WORDS = "lorem ipsum dolor sit amet " * 1000
KEY = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBg\n" * 900 + "-----END PRIVATE KEY-----\n"


def test_a_short_message_is_read_in_full() -> None:
    assert read_within("I live in Porto.", 100).text == "I live in Porto."
    assert read_within("I live in Porto.", 100).left_out == 0


def test_of_a_long_one_the_beginning_and_the_end_are_read() -> None:
    reading = read_within(f"It begins. {WORDS} It ends.", 1000)

    assert reading.text.startswith("It begins.")
    assert reading.text.endswith("It ends.")
    assert "[…]" in reading.text
    assert len(reading.text) <= 1010
    assert reading.left_out == len(f"It begins. {WORDS} It ends.") - 1000


@pytest.mark.parametrize("shift", range(0, 60, 3))
def test_a_secret_across_a_cut_is_masked_whole(shift: int) -> None:
    secret = "my password is hunter2-Xy99zz"
    before = f"{'a' * (730 + shift)} {secret} {WORDS}"
    after = f"{WORDS}{secret} {'a ' * ((250 - shift) // 2)}"

    assert "hunter" not in read_within(before, 1000).text
    assert "Xy99zz" not in read_within(after, 1000).text


def test_a_key_that_began_before_the_end_is_not_read_with_it() -> None:
    for text in (f"{WORDS}{KEY} bye", f"{KEY}{WORDS}", f"hi {KEY}"[:9000]):
        assert "MIIE" not in read_within(text, 1000).text
    assert MASK in read_within(f"hi {KEY}"[:9000], 1000).text
