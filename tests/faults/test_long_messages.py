"""No message blocks the process: reading one takes time that grows with its length, no faster."""

import asyncio
import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Iterator

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from memory_graph.context import Context
from memory_graph.embedding import encoders
from memory_graph.episodes.themes import theme_of
from memory_graph.keys import normalise
from memory_graph.language import words as plain_text
from memory_graph.language.frames import second_person
from memory_graph.language.headlines import headline
from memory_graph.language.likeness import gist_of, overlap
from memory_graph.language.mentions import (
    entities_in,
    keywords,
    names_in,
    people_in,
    story_words,
    values_in,
)
from memory_graph.language.questions import split_question, topic_of
from memory_graph.language.sentences import readable, split_clauses, split_sentences
from memory_graph.language.words import language_of
from memory_graph.safety.own_voice import is_instruction, own_voice
from memory_graph.safety.secrets import (
    escape_for_prompt,
    fence,
    holds_secret,
    mask_secrets,
    one_line,
    read_within,
)
from memory_graph.turns.messages import read_turns, turns_of
from tests.faults.conftest import Conversation, foreign_nodes, rows_of

UNITS = {
    "spaces": " ",
    "newlines": "\n",
    "tabs": "\t",
    "digits": "7",
    "spaced digits": "1 ",
    "counting words": "八",
    "hyphens": "-",
    "digits and hyphens": "1-",
    "letters": "a ",
    "one word": "a",
    "names": "Anna ",
    "dots": "a.",
    "quotes": '"',
    "opening quotes": "“",
    "opening apostrophes": " ‘",
    "apostrophes": "'",
    "brackets": "[",
    "angles": "<",
    "backticks": "`",
    "bullets": "\n- ",
    "quoted lines": "\n>",
    "passwords": "my password for ",
    "combinations": "combination of a ",
    "keys": "-----BEGIN PRIVATE KEY-----",
    "logins": "login to with ",
    "permissions": "authorize ",
    "orders": "ignore ",
    "letters to somebody": "dear a ",
    "prose": "We walked to the market and bought bread, then we came home. ",
}
PACKAGES = ("safety", "nodes", "episodes", "turns", "store", "recall", "facts", "curation")
ALONE = ("keys", "language.words", "language.sentences", "language.mentions")


def modules() -> Iterator[str]:
    yield from (f"memory_graph.{name}" for name in ALONE)
    for name in PACKAGES:
        package = importlib.import_module(f"memory_graph.{name}")
        yield package.__name__
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield found.name


def patterns_in(value: object) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from (each for inner in value.items() for each in patterns_in(inner))
    elif isinstance(value, list | tuple | set | frozenset):
        yield from (each for inner in value for each in patterns_in(inner))


def all_patterns() -> dict[str, re.Pattern[str]]:
    found: dict[str, re.Pattern[str]] = {}
    for name in modules():
        for label, value in vars(importlib.import_module(name)).items():
            for number, pattern in enumerate(patterns_in(value)):
                if pattern not in found.values():
                    found[f"{name.removeprefix('memory_graph.')}.{label}.{number}"] = pattern
    return found


FUNCTIONS: dict[str, Callable[[str], object]] = {
    "mask_secrets": mask_secrets,
    "holds_secret": holds_secret,
    "read_within": lambda text: read_within(text, 12_000),
    "is_instruction": is_instruction,
    "escape_for_prompt": escape_for_prompt,
    "one_line": lambda text: one_line(text, 2000),
    "fence": lambda text: fence("turns", [text]),
    "normalise": normalise,
    "entities_in": lambda text: entities_in([text]),
    "people_in": lambda text: people_in([text]),
    "names_in": names_in,
    "values_in": values_in,
    "keywords": lambda text: keywords([text], 5),
    "story_words": story_words,
    "headline": headline,
    "language_of": language_of,
    "readable": readable,
    "split_clauses": split_clauses,
    "gist_of": gist_of,
    "overlap": lambda text: overlap(text, text),
    "second_person": second_person,
    "topic_of": topic_of,
    "theme_of": lambda text: theme_of([text], ()),
    "split_sentences": split_sentences,
    "text.content_words": plain_text.content_words,
    "own_voice": own_voice.__wrapped__,
    "split_question": split_question,
    "read_turns": lambda text: read_turns([HumanMessage(text), AIMessage(text)], None),
}

SMALL, LARGE = 2_000, 16_000
UNNOTICED_S = 0.03
MOST_GROWTH = 3 * LARGE / SMALL
"""A pattern that walks the rest of a text from each of its places would need 64 times as long."""


def seconds(work: Callable[[str], object], text: str) -> float:
    """Processor time, so that a busy machine is no slow pattern; the better of two."""

    def once() -> float:
        started = time.thread_time()
        work(text)
        return time.thread_time() - started

    taken = once()
    return taken if taken < UNNOTICED_S else min(taken, once())


def repeated(unit: str, length: int) -> str:
    return (unit * (length // len(unit) + 1))[:length]


def assert_linear(work: Callable[[str], object]) -> None:
    for label, unit in UNITS.items():
        small = seconds(work, repeated(unit, SMALL))
        assert small < 1, f"{label}: {small:.2f} s for {SMALL} characters"
        large = seconds(work, repeated(unit, LARGE))
        assert large < max(UNNOTICED_S, MOST_GROWTH * small), f"{label}: {small} → {large} s"


@pytest.mark.parametrize("name", all_patterns())
def test_no_pattern_takes_longer_than_its_text_is_long(name):
    pattern = all_patterns()[name]

    assert_linear(lambda text: sum(1 for _ in pattern.finditer(text)))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_reader_takes_longer_than_its_text_is_long(name):
    assert_linear(FUNCTIONS[name])


@pytest.mark.parametrize("backend", ["memory"], indirect=True)
async def test_a_message_of_a_megabyte_is_answered_and_its_cut_is_told(surface, store):
    conversation = Conversation(surface(store, None))
    said = f"We decided to buy a bike. {repeated(UNITS['prose'], 1_000_000)} Remember the lantern."

    async with asyncio.timeout(60):
        heard = await conversation.say("ana", said)

    assert heard["messages"][-1].text
    rows = await rows_of(store, "ana")
    assert "message_cut" in rows
    assert "We decided to buy a bike." in rows
    assert "[…]" in rows


@pytest.mark.parametrize("backend", ["memory"], indirect=True)
@pytest.mark.parametrize("unit", ["one word", "json"])
async def test_little_of_a_huge_message_is_embedded(store, monkeypatch, unit):
    said = repeated({**UNITS, "json": '{"name": "ana", "tags": ["a", "b"]}, '}[unit], 1_000_000)
    embedded: list[str] = []
    encode = encoders.encode_unit

    def counted(encoder, texts, dims):
        embedded.extend(texts)
        return encode(encoder, texts, dims)

    monkeypatch.setattr(encoders, "encode_unit", counted)
    await Conversation(foreign_nodes(store, None)).say("ana", said)

    assert max(map(len, embedded), default=0) < 5000
    assert sum(map(len, embedded)) < 16_000


async def test_only_the_turns_that_are_needed_are_read():
    said = [m for n in range(5000) for m in (HumanMessage(f"say {n}", id=f"m{n}"), AIMessage("ok"))]

    turns = await turns_of({"messages": said}, {}, Context(user_id="ana"), 3)

    assert [turn.message_id for turn in turns] == ["m4997", "m4998", "m4999"]


async def test_a_long_message_is_read_off_the_event_loop(monkeypatch):
    used = []

    async def to_thread(work, *args):
        used.append(work)
        return work(*args)

    monkeypatch.setattr(asyncio, "to_thread", to_thread)
    await turns_of({"messages": [HumanMessage("a " * 50_000)]}, {}, Context(user_id="ana"), 3)
    assert len(used) == 1
    await turns_of({"messages": [HumanMessage("hi")]}, {}, Context(user_id="ana"), 3)
    assert len(used) == 1
