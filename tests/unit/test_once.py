"""What was worked out of people's words lives as long as their turn."""

import asyncio
import gc

from memory_graph import reading
from memory_graph.embedding import load_embedder
from memory_graph.language.words import language_of, words_of
from memory_graph.once import known_this_turn, once_a_turn, one_turn


def test_a_function_works_once_a_turn_and_every_time_outside_of_one() -> None:
    asked = []
    shout = once_a_turn(lambda text: asked.append(text) or text.upper())

    with one_turn():
        assert [shout("a"), shout("a"), shout("b")] == ["A", "A", "B"]
    assert asked == ["a", "b"]
    assert [shout("a"), shout("a")] == ["A", "A"]
    assert asked == ["a", "b", "a", "a"]


def test_a_turn_within_a_turn_is_the_same_one() -> None:
    with one_turn():
        known_this_turn("heads")["a"] = 1
        with one_turn():
            assert known_this_turn("heads") == {"a": 1}
        assert known_this_turn("heads") == {"a": 1}
    assert known_this_turn("heads") == {}


async def test_what_a_turn_worked_out_reaches_its_tasks_and_nobody_else() -> None:
    async def look() -> dict[str, int]:
        return dict(known_this_turn("heads"))

    with one_turn():
        known_this_turn("heads")["a"] = 1
        assert await asyncio.create_task(look()) == {"a": 1}
    assert await asyncio.create_task(look()) == {}


async def test_a_message_is_read_once_a_turn() -> None:
    with one_turn():
        first = await reading.read_message("I live in Lisbon.")
        assert await reading.read_message("I live in Lisbon.") is first


async def test_no_words_are_kept_after_their_turn() -> None:
    secret = "the boiler code of Wilhelmina is 4711"
    with one_turn():
        await reading.read_message(secret)
        language_of(secret)
        words_of(secret)
        await load_embedder("use").embed([secret])

    gc.collect()
    held = [each for each in gc.get_objects() if isinstance(each, dict) and secret in each]
    assert held == []
