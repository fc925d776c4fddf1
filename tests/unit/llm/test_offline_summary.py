"""The extractive summariser: an exchange in its own words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_graph.llm.offline.summary import summarise
from memory_graph.policy.exchange import Said

ROUTER = (
    Said(role="user", text="The router in the attic loses the signal every night."),
    Said(role="assistant", text="Let me look.", tool_calls=("read_logs",)),
    Said(role="tool", tool="read_logs", text="TRACE 0xdeadbeef", is_error=False),
    Said(
        role="assistant",
        text="Sure! I'd be happy to help. Try another channel than 11.\n```\nsecret code\n```",
    ),
    Said(role="user", text="Moved it to channel 3 with Jonas. That did the trick!"),
    Said(role="assistant", text="You're welcome!"),
)


def test_the_summary_tells_the_matter_and_how_it_ended() -> None:
    draft = summarise(ROUTER)

    assert draft.summary == (
        "The user said: The router in the attic loses the signal every night. "
        "Moved it to channel 3 with Jonas. That did the trick!"
    )
    assert draft.outcome == "success"


def test_tool_traces_code_and_courtesies_are_left_out() -> None:
    told = summarise(ROUTER).model_dump_json()

    for noise in ("deadbeef", "secret code", "happy to help", "welcome", "Let me look"):
        assert noise not in told


def test_topic_approach_people_and_tools_are_found() -> None:
    draft = summarise(ROUTER)

    assert "router" in draft.topic
    assert draft.approach == "Try another channel than 11"
    assert draft.participants == ("Jonas",)
    assert draft.tools_used == ("read_logs",)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("Could you book the early train to Lyon?", "early train to Lyon"),
        ("I passed the anatomy exam!", "anatomy exam"),
        ("Oak or pine for the fence?", "Oak or pine for the fence"),
        ("We have six weeks until the wedding.", "six weeks until the wedding"),
    ],
)
def test_the_topic_is_a_short_phrase(text: str, topic: str) -> None:
    assert summarise([Said(role="user", text=text)]).topic == topic


def test_what_was_decided_and_promised_is_listed() -> None:
    draft = summarise(
        [
            Said(role="user", text="Oak or pine for the fence?"),
            Said(role="assistant", text="Pine is cheaper, but oak lasts."),
            Said(role="user", text="Let's go with oak. I'll order the boards tomorrow."),
        ]
    )

    assert draft.decisions == ("Let's go with oak.",)
    assert draft.next_steps == ("I'll order the boards tomorrow.",)
    assert draft.outcome == "ongoing"


def test_a_choice_left_open_is_no_decision() -> None:
    draft = summarise(
        [
            Said(role="user", text="Let's take the oak boards."),
            Said(role="user", text="Hmm, I'm not sure about them after all."),
        ]
    )

    assert draft.decisions == ()
    assert draft.outcome == "ongoing"


@pytest.mark.parametrize(
    "said", [[], [Said(role="user", text="👍")], [Said(role="user", text="hi")]]
)
def test_an_empty_exchange_still_makes_a_draft(said: list[Said]) -> None:
    draft = summarise(said)

    assert draft.summary
    assert draft.topic == "small talk"


@given(
    st.lists(
        st.builds(
            Said, role=st.sampled_from(["user", "assistant", "tool"]), text=st.text(max_size=900)
        ),
        max_size=6,
    )
)
def test_any_exchange_makes_a_valid_draft_and_always_the_same(said: list[Said]) -> None:
    draft = summarise(said)

    assert draft == summarise(said)
    assert draft.summary.strip()
    assert draft.topic.strip()
    assert 3 <= len(draft.tags) <= 5
