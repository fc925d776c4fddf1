"""Writing after the reply: what is told, what fails, and what the next turn picks up."""

import asyncio
import logging
import sys
from contextlib import nullcontext

import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.runtime import Runtime, ServerInfo
from langgraph.store.memory import InMemoryStore

from memory_graph import background
from memory_graph.context import Context
from memory_graph.episodes.writing import EXTRACTIVE, streak
from memory_graph.graph import build_graph
from memory_graph.keys import logged_id
from memory_graph.nodes import episodic_capture
from memory_graph.settings import get_settings
from memory_graph.store.locks import user_lock_across_processes
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of, open_memory
from tests.fakes import FakeClock, RemoteStore
from tests.unit.test_graph import Talk

KEPT = "We decided to move the photo archive to Postgres, because SQLite kept locking."


@pytest.fixture(autouse=True)
def _no_streak():
    streak.length = 0


@pytest.fixture
def in_background(monkeypatch):
    monkeypatch.setenv("MEMORY_GRAPH_CAPTURE_MODE", "background")
    get_settings.cache_clear()


async def test_a_reply_never_waits_for_a_model_unless_a_server_queues_the_run(
    store, now, monkeypatch
):
    monkeypatch.delenv("MEMORY_GRAPH_CAPTURE_MODE")
    get_settings.cache_clear()
    names = []
    monkeypatch.setattr(background, "start", lambda name, work: names.append(name))
    server = ServerInfo(assistant_id="a", graph_id="g", user=None)
    for model, info in ((answering(GOOD), None), (answering(GOOD), server), (None, None)):
        context = Context(user_id=f"user-{len(names)}-{bool(model)}")
        runtime = Runtime(
            context=context, store=store, stream_writer=lambda _: None, server_info=info
        )
        state = {"messages": [HumanMessage(KEPT, id="m1"), AIMessage("Fine.", id="m2")]}
        config = {"configurable": {"thread_id": "t"}}
        await episodic_capture.using(model=model)(state, runtime, config)

    assert names == ["episode-user-0-True"]


def lines(caplog) -> list[dict[str, object]]:
    return [r.fields for r in caplog.records if getattr(r, "event", "") == "memory.episode"]


async def test_the_reply_comes_first_and_the_episode_after(in_background, now, caplog):
    caplog.set_level(logging.INFO, "memory_graph")
    talk = Talk()
    async with user_lock_across_processes(talk.memory.scope):  # so that the task has to wait
        await talk.say(KEPT)
    waiting = [task for task in asyncio.all_tasks() if task.get_name() == "episode-ana"]

    assert talk.named("episodic.queued")
    assert await background.drain() == 0
    assert len(waiting) == 1
    [episode] = await talk.memory.episodes.all()
    [line] = lines(caplog)
    assert (line["outcome"], line["memory_id"]) == ("stored", logged_id("ana", episode.id))
    assert "reason" not in line
    assert line["cost_usd"] == 0.0


async def test_on_a_server_the_episode_stays_in_the_run(in_background, now):
    server = ServerInfo(assistant_id="a", graph_id="g")
    user = Context(user_id="ana")
    run = Runtime(context=user, store=InMemoryStore(), server_info=server)
    monitored = {"messages": [HumanMessage(KEPT, id="m1"), AIMessage("Understood.")]}
    get_settings.cache_clear()

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORY_GRAPH_TRUST_CLIENT_USER_ID", "true")
        await episodic_capture(monitored, run, {})
        assert await background.drain() == 0
        assert len(await open_memory(run).episodes.all()) == 1


async def test_a_routine_turn_starts_nothing(in_background, now):
    talk = Talk()
    await talk.say("Thanks!")

    assert not talk.named("episodic.queued")
    assert len(await talk.memory.ledger.recent(node="episodic_capture")) == 1


async def test_what_died_with_the_process_is_picked_up_by_the_next_turn(in_background, now):
    talk = Talk()
    async with user_lock_across_processes(talk.memory.scope):
        await talk.say(KEPT)
        for task in asyncio.all_tasks():
            if task.get_name() == "episode-ana":
                task.cancel()
    await background.drain()
    assert await talk.memory.episodes.all() == []

    await talk.say("Thanks!")
    await background.drain()

    assert len(await talk.memory.episodes.all()) == 1


class Scripted(GenericFakeChatModel):
    """Answers with what the test says, whoever asks."""

    model_name: str = "small"


def answering(*texts: str) -> Scripted:
    usage = {"input_tokens": 1000, "output_tokens": 500, "total_tokens": 1500}
    return Scripted(messages=iter(AIMessage(text, usage_metadata=usage) for text in texts))


async def say(store, model, text=KEPT, user="ana"):
    from langgraph.runtime import Runtime

    from memory_graph.nodes.episodic_capture import episodic_capture

    events: list[dict[str, object]] = []
    runtime = Runtime(context=Context(user_id=user), store=store, stream_writer=events.append)
    state = {"messages": [HumanMessage(text, id="m1"), AIMessage("Good choice.", id="m2")]}
    config = {"configurable": {"thread_id": "t"}}
    await episodic_capture.using(model=model)(state, runtime, config)
    return [event for event in events if event["event"] == "memory.episode"], events


GOOD = '{"summary": "The archive moves to Postgres.", "topic": "photo archive"}'


async def test_the_cost_is_told_when_the_price_is_known(store, now, monkeypatch):
    monkeypatch.setenv("MEMORY_GRAPH_PRICES", "small=2/8,large=3/15")
    get_settings.cache_clear()

    [line], _ = await say(store, answering(GOOD))

    assert line["outcome"] == "stored"
    assert line["cost_usd"] == pytest.approx(0.006)


async def test_an_unknown_price_is_not_zero(store, now):
    [line], _ = await say(store, answering(GOOD))

    assert line["cost_usd"] is None


async def test_a_call_over_budget_is_not_made(store, now, monkeypatch):
    monkeypatch.setenv("MEMORY_GRAPH_PRICES", "small=2000/8000")
    get_settings.cache_clear()

    [line], _ = await say(store, answering())

    assert (line["outcome"], line["reason"]) == ("over_budget", "over_budget")
    assert "memory_id" not in line
    [episode] = await memory_of(Owner("ana"), store).episodes.all()
    assert episode.summariser == EXTRACTIVE


async def test_an_episode_that_the_model_cannot_write_is_written_without_it_and_told(store, now):
    [line], _ = await say(store, answering("no json at all"))
    memory = memory_of(Owner("ana"), store)

    assert line["outcome"] == "parse_error"
    assert line["reason"] == "ExtractionError"
    assert "memory_id" not in line
    [episode] = await memory.episodes.all()
    assert episode.summariser == EXTRACTIVE
    told, _ = await say(store, answering(GOOD))
    assert told == []


class Failing(Scripted):
    """A provider that is down."""

    def _generate(self, *args: object, **kwargs: object) -> None:
        raise ConnectionError("down")


async def test_failures_in_a_row_raise_one_alarm(store, now, caplog):
    for turn in range(4):
        [line], _ = await say(store, Failing(messages=iter(())), user=f"user-{turn}")
        assert line["outcome"] == "model_error"

    errors = [r for r in caplog.records if r.levelno == logging.ERROR]
    assert len(errors) == 1


async def test_a_write_that_fails_is_told(now):
    class FullDisk(InMemoryStore):
        async def abatch(self, ops):
            ops = list(ops)
            if any(getattr(op, "value", None) and op.namespace[-1] == "episodes" for op in ops):
                raise OSError("disk full")
            return await super().abatch(ops)

    [line], _ = await say(FullDisk(), None)

    assert line["outcome"] == "store_failed"
    assert "memory_id" not in line


async def test_threads_of_one_user_write_one_after_the_other(in_background, now: FakeClock):
    store = InMemoryStore()
    graph = build_graph(store=store, checkpointer=InMemorySaver())
    texts = [
        "Please remember this conversation: we decided on the boiler repair.",
        "Please remember this conversation: we decided on hiking in Japan.",
        "Please remember this conversation: we decided on a bass guitar.",
    ]
    await asyncio.gather(
        *(
            graph.ainvoke(
                {"messages": [HumanMessage(text)]},
                {"configurable": {"thread_id": text}},
                context=Context(user_id="ana", capture={"max_per_day": 2}),
            )
            for text in texts
        )
    )
    await background.drain()

    memory = memory_of(Owner("ana"), store)
    assert len(await memory.episodes.all()) == 2
    assert len(await memory.ledger.recent(node="episodic_capture")) == 3


async def test_without_a_lock_the_quota_is_held_by_taking_back(now, monkeypatch):
    monkeypatch.setattr(
        sys.modules["memory_graph.nodes._capturing"],
        "user_lock_across_processes",
        lambda scope: nullcontext(),
    )
    store = RemoteStore()
    graph = build_graph(store=store, checkpointer=InMemorySaver())
    subjects = ["the boiler", "hiking in Japan", "a bass guitar", "Priya's offer", "the lake house"]
    await asyncio.gather(
        *(
            graph.ainvoke(
                {"messages": [HumanMessage(f"Please remember this chat: we chose {subject}.")]},
                {"configurable": {"thread_id": subject}},
                context=Context(user_id="ana", capture={"max_per_day": 2}),
            )
            for subject in subjects
        )
    )

    memory = memory_of(Owner("ana"), store)
    entries = await memory.ledger.recent(node="episodic_capture")
    created = {d.memory_id for e in entries for d in e.decisions if d.action == "create"}
    assert len(entries) == 5
    assert created == {episode.id for episode in await memory.episodes.all()}
    assert len(created) <= 2
