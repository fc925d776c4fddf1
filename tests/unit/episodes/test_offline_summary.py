"""The offline summariser: an exchange in its own words, in any language."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_graph.episodes.offline_summary import summarise
from memory_graph.episodes.signals import read_outcomes
from memory_graph.records import EpisodeDraft, Said

ROUTER = (
    Said(role="user", text="The router in the attic loses the signal every night."),
    Said(role="assistant", text="Let me look.", tool_calls=("read_logs",)),
    Said(role="tool", tool="read_logs", text="TRACE 0xdeadbeef", is_error=False),
    Said(role="assistant", text="Try another channel than 11.\n```\nsecret code\n```"),
    Said(role="user", text="I moved the router to channel 3 with Jonas and the signal is back."),
    Said(role="assistant", text="You're welcome!"),
)


async def draft_of(*said: Said, context: tuple[Said, ...] = ()) -> EpisodeDraft:
    outcomes = await read_outcomes(said, context=context)
    return summarise(outcomes)


async def test_the_title_says_what_was_done_and_the_summary_in_which_matter() -> None:
    draft = await draft_of(*ROUTER)

    assert draft.topic == "Moved the router to channel 3 with Jonas and the signal is back"
    assert draft.summary == (
        "The router in the attic loses the signal every night. "
        "I moved the router to channel 3 with Jonas and the signal is back."
    )


async def test_tool_traces_code_and_courtesies_are_left_out() -> None:
    told = (await draft_of(*ROUTER)).model_dump_json()

    for noise in ("deadbeef", "secret code", "welcome", "Let me look"):
        assert noise not in told


async def test_approach_people_and_tools_are_found() -> None:
    draft = await draft_of(*ROUTER)

    assert draft.approach == "used read_logs"
    assert draft.participants == ("Jonas",)
    assert draft.tools_used == ("read_logs",)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        pytest.param(
            "Wow! We finally signed the lease in Leeds.", "Signed the lease in Leeds", id="reaction"
        ),
        pytest.param(
            "Good news, the visa got approved. Can you believe it?",
            "The visa got approved",
            id="question",
        ),
        pytest.param(
            "Mist, der Vermieter hat den Vertrag gekündigt.",
            "Der Vermieter hat den Vertrag gekündigt",
            id="de",
        ),
        pytest.param(
            "Hey Dave! I've decided to take the job in Lyon.",
            "Decided to take the job in Lyon",
            id="greeting",
        ),
    ],
)
async def test_the_title_is_the_sentence_of_the_outcome(text: str, title: str) -> None:
    assert (await draft_of(Said(role="user", text=text))).topic == title


async def test_a_title_that_points_back_to_a_short_sentence_says_that_one_too() -> None:
    told = "Meeting with Okafor went badly. She says site 7 must be thrown out, the mic was broken."

    draft = await draft_of(Said(role="user", text=told))

    assert draft.topic == (
        "Meeting with Okafor went badly: She says site 7 must be thrown out, the mic was broken"
    )


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "Ok, settled: induction it is. Tom gave in after seeing how fast it boils water.",
            "Settled: induction it is; Tom gave in after seeing how fast it boils water",
        ),
        (
            "Postmortem done. Marek owns the alert on heap growth and the review checklist.",
            "Postmortem done: Marek owns the alert on heap growth and the review checklist",
        ),
    ],
)
async def test_a_title_tells_a_result_that_is_said_in_a_word(text: str, title: str) -> None:
    assert (await draft_of(Said(role="user", text=text))).topic == title


async def test_a_title_has_no_second_colon() -> None:
    told = "Augmentation helped a bit: 66%. But pipistrelles are still mixed up with Nathusius."

    assert (await draft_of(Said(role="user", text=told))).topic == (
        "Augmentation helped a bit: 66%; Pipistrelles are still mixed up with Nathusius"
    )


async def test_a_title_that_only_points_back_says_what_it_is_about() -> None:
    said = Said(role="user", text="The nightly export came out empty again. It works now.")

    title = (await draft_of(said)).topic

    assert "export" in title


async def test_a_title_names_whom_its_message_is_about() -> None:
    said = Said(role="user", text="The vet rang about Pepper. The tests came back clear.")

    assert "Pepper" in (await draft_of(said)).topic


async def test_a_title_opens_with_what_its_message_opens_with() -> None:
    said = Said(
        role="user",
        text="Greta and I are dropping the second survey. We'll say in the report that the "
        "interviews already answer it.",
    )

    assert "second survey" in (await draft_of(said)).topic


async def test_what_led_to_it_gives_the_context() -> None:
    before = (Said(role="user", text="The nightly CSV export came out empty again."),)

    draft = await draft_of(Said(role="user", text="Fixed it."), context=before)

    assert "export" in draft.topic
    assert "export" in draft.summary


async def test_the_reply_tells_the_outcome_where_a_tool_did_it() -> None:
    draft = await draft_of(
        Said(role="user", text="ship billing 4.2 please"),
        Said(role="assistant", tool_calls=("deploy",)),
        Said(role="tool", tool="deploy", text="ok"),
        Said(role="assistant", text="Billing 4.2 is live on all six hosts."),
    )

    assert draft.topic == "Billing 4.2 is live on all six hosts"
    assert draft.outcome == "success"


async def test_a_choice_left_open_is_no_decision() -> None:
    draft = await draft_of(Said(role="user", text="We still haven't decided about the oak boards."))

    assert draft.decisions == ()


@pytest.mark.parametrize(
    "said", [[], [Said(role="user", text="👍")], [Said(role="user", text="hi")]]
)
async def test_an_empty_exchange_still_makes_a_draft(said: list[Said]) -> None:
    draft = await draft_of(*said)

    assert draft.summary
    assert draft.topic


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.builds(
            Said, role=st.sampled_from(["user", "assistant", "tool"]), text=st.text(max_size=300)
        ),
        max_size=4,
    )
)
def test_any_exchange_makes_a_valid_draft_and_always_the_same(said: list[Said]) -> None:
    draft = asyncio.run(draft_of(*said))

    assert draft == asyncio.run(draft_of(*said))
    assert draft.summary.strip()
    assert draft.topic.strip()
