"""Topics: which turns of a conversation belong together."""

from datetime import UTC, datetime, timedelta

import pytest

from memory_graph.episodes.signals import read_outcomes
from memory_graph.episodes.themes import TopicTurn, group_by_topic, topic_turn
from memory_graph.records import Said

NINE = datetime(2026, 11, 16, 9, tzinfo=UTC)


async def turns(*texts: str, apart: timedelta = timedelta(minutes=2)) -> list[TopicTurn]:
    return [
        topic_turn(
            (await read_outcomes([Said(role="user", text=text)])).messages, NINE + apart * place
        )
        for place, text in enumerate(texts)
    ]


@pytest.mark.parametrize(
    ("texts", "groups"),
    [
        pytest.param(
            (
                "The nightly CSV export came out empty.",
                "I moved the CSV export to three o'clock, it has all rows now.",
            ),
            [[0, 1]],
            id="one story",
        ),
        pytest.param(
            (
                "The landlord agreed to replace the boiler.",
                "I cancelled the gym, we go climbing instead.",
            ),
            [[0], [1]],
            id="two stories",
        ),
        pytest.param(
            (
                "The boiler lost pressure again.",
                "Harbour Clinic signed the offer for the website.",
                "The plumber replaced the boiler valve.",
            ),
            [[0, 2], [1]],
            id="told by turns",
        ),
        pytest.param(
            ("The hotel in Alfama sounds right.", "the second one then"),
            [[0, 1]],
            id="a short answer",
        ),
        pytest.param(
            ("The boiler lost pressure again.", "thanks, bye!"), [[0], [1]], id="a closing word"
        ),
    ],
)
async def test_turns_on_one_topic_belong_together(
    texts: tuple[str, ...], groups: list[list[int]]
) -> None:
    assert group_by_topic(await turns(*texts)) == groups


async def test_after_hours_a_topic_starts_anew() -> None:
    texts = ("The boiler lost pressure.", "Boiler pressure is back.")
    same = await turns(*texts, apart=timedelta(hours=5))

    assert group_by_topic(same) == [[0], [1]]
