"""Closing: an episode of several exchanges is written again, and a told one is read."""

import json
from datetime import timedelta

import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.store.memory import InMemoryStore

from memory_graph import clock
from memory_graph.episodes.closing import close_all, close_over, closed, is_over
from memory_graph.episodes.messages import named_in, own_messages
from memory_graph.episodes.writing import EXTRACTIVE, WHOLE, writer_for
from memory_graph.records import Outcome
from memory_graph.settings import get_settings
from tests.examples import an_episode
from tests.fakes import FakeClock
from tests.unit.test_graph import Talk

MOVED = "We decided to move the photo archive to Postgres, and the migration worked."
BACK = "The photo archive migration to Postgres failed after all, we rolled it back."


class Asked(GenericFakeChatModel):
    """Keeps what it is asked."""

    prompts: list[str] = []  # noqa: RUF012 — a pydantic field

    def _generate(self, messages: object, *args: object, **kwargs: object) -> object:
        self.prompts.append(str(messages))
        return super()._generate(messages, *args, **kwargs)


def answering(**draft: object) -> Asked:
    return Asked(messages=iter([AIMessage(json.dumps(draft))]), prompts=[])


async def told_twice(now: FakeClock) -> Talk:
    talk = Talk(store=InMemoryStore())
    await talk.say(MOVED)
    now.move(minutes=2)
    await talk.say(BACK)
    return talk


async def test_without_a_model_a_merged_episode_tells_whole_sentences(now: FakeClock) -> None:
    talk = await told_twice(now)

    [episode] = await talk.memory.episodes.all()
    assert episode.summary == f"{MOVED} {BACK}"
    assert (episode.outcome, episode.summariser) == ("failure", EXTRACTIVE)


async def test_days_of_a_merged_episode_keep_their_dates(
    now: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPISODIC_MERGE_WINDOW_HOURS", "72")
    get_settings.cache_clear()
    talk = Talk(store=InMemoryStore())
    await talk.say(MOVED)
    now.move(days=1)
    await talk.say(BACK)

    [episode] = await talk.memory.episodes.all()
    assert episode.days == ("2026-11-16", "2026-11-17")
    assert episode.summary == f"2026-11-16: {MOVED} 2026-11-17: {BACK}"


async def test_what_is_over_is_written_again_from_its_own_messages(now: FakeClock) -> None:
    talk = await told_twice(now)
    now.move(hours=5)
    model = answering(
        summary="The user moved the photo archive to Postgres, which failed; it was rolled back.",
        topic="photo archive to Postgres",
        goal="move the photo archive",
        outcome="failure",
        lessons=["Try the migration on a copy."],
    )

    captured = await close_over(talk.memory, writer_for(model), clock.utc_now())

    [prompt] = model.prompts
    assert f"2026-11-16 user: {MOVED}" in prompt
    assert f"2026-11-16 user: {BACK}" in prompt
    [episode] = await talk.memory.episodes.all()
    assert episode.summary.startswith("The user moved the photo archive")
    assert (episode.goal, episode.summariser) == ("move the photo archive", WHOLE)
    assert episode.lessons == ("Try the migration on a copy.",)
    assert captured is not None
    assert captured.event is not None
    assert (captured.event.outcome, captured.event.memory_id) == ("stored", episode.id)
    assert await close_over(talk.memory, writer_for(model), clock.utc_now()) is None


async def test_maintenance_closes_what_is_over_and_stops_where_no_model_answers(
    now: FakeClock,
) -> None:
    talk = await told_twice(now)
    now.move(hours=5)
    summary = "The user moved the photo archive to Postgres and rolled it back."
    model = answering(summary=summary, topic="photo archive")

    silent = await close_all(talk.memory, writer_for(Asked(messages=iter([]))), clock.utc_now())
    done = await close_all(talk.memory, writer_for(model), clock.utc_now())

    assert (silent, [each.reason for each in done]) == ([], ["closed"])
    [episode] = await talk.memory.episodes.all()
    assert episode.summary == summary


async def test_an_invented_story_is_not_taken_and_not_asked_for_again(now: FakeClock) -> None:
    talk = await told_twice(now)
    before = (await talk.memory.episodes.all())[0].summary
    now.move(hours=5)
    model = answering(
        summary="Her friends were disappointed about a birthday party by the sea in Rome.",
        topic="a party",
    )

    await close_over(talk.memory, writer_for(model), clock.utc_now())

    [episode] = await talk.memory.episodes.all()
    assert (episode.summary, episode.summariser) == (before, WHOLE)


async def test_what_goes_on_or_stands_alone_is_left_as_it_is(now: FakeClock) -> None:
    talk = await told_twice(now)
    [episode] = await talk.memory.episodes.all()
    at = clock.utc_now()

    assert not is_over(episode, at)
    assert is_over(episode, at + timedelta(hours=4))
    assert not is_over(episode, at + timedelta(days=8))
    assert not is_over(episode.model_copy(update={"merged_from": ()}), at + timedelta(hours=4))
    assert await close_over(talk.memory, writer_for(None), at + timedelta(hours=4)) is None


async def test_what_was_said_in_an_episode_is_found_with_its_day(now: FakeClock) -> None:
    talk = await told_twice(now)
    [episode] = await talk.memory.episodes.all()

    said = await own_messages(talk.memory, episode)

    assert [one.text for _, one in said if one.role == "user"] == [MOVED, BACK]
    assert {day.isoformat() for day, _ in said} == {"2026-11-16"}


@pytest.mark.parametrize(
    ("text", "people", "tools"),
    [
        ("Participants: Tim, Emerson", ("Tim", "Emerson"), ()),
        ("Ran the tools bash and web_search. It works.", (), ("bash", "web_search")),
        ("Teilnehmer: Jonas und Lena Vogt", ("Jonas", "Lena Vogt"), ()),
        ("Tools used: grep, jq", (), ("grep", "jq")),
        ("We sat in the garden with Tim.", (), ()),
    ],
)
def test_plainly_listed_people_and_tools_are_read(
    text: str, people: tuple[str, ...], tools: tuple[str, ...]
) -> None:
    assert (named_in([text], "people"), named_in([text], "tools")) == (people, tools)


@pytest.mark.parametrize(
    ("content", "outcome"),
    [
        ("We found the leak, fixed it and deployed; it works now.", "success"),
        ("Die Bank hat unseren Kredit abgelehnt.", "failure"),
        ("The walls are green.", "unknown"),
    ],
)
async def test_a_told_episode_closes_with_what_its_words_name(
    content: str, outcome: Outcome, now: FakeClock
) -> None:
    text = f"{content}\nParticipants: Tim, Emerson\nRan the tools bash and web_search."
    told = an_episode("ep-1", "the leak", content=text, outcome="ongoing", status="active")

    after = await closed(told, writer_for(None), clock.utc_now())

    assert (after.status, after.outcome) == ("summarized", outcome)
    assert after.metadata.participants[:2] == ("Tim", "Emerson")
    assert after.metadata.tools_used == ("bash", "web_search")


async def test_a_model_reads_what_a_told_episode_names_and_what_was_stated_stays() -> None:
    model = answering(
        summary="Tim and Emerson found the leak in the import worker and fixed it.",
        topic="the leak",
        outcome="success",
        participants=["Tim", "Emerson"],
        entities=["import worker"],
        tags=["debugging"],
    )
    told = an_episode(
        "ep-1",
        "the leak",
        content="tim n emerson got the leak in the import worker sorted",
        metadata={"tags": ("memory",)},
    )

    after = await closed(told, writer_for(model), clock.utc_now())

    assert after.metadata.participants == ("Tim", "Emerson")
    assert after.metadata.entities == ("import worker",)
    assert after.metadata.tags == ("memory",)
