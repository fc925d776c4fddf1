"""The second stage, as the sources describe it: it always ends, and one line says how."""

import asyncio
import json
from types import SimpleNamespace

import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from memory_graph.context import Context
from memory_graph.episodes.writing import EXTRACTIVE, PROMPT
from memory_graph.facts.model_reader import MessageRead
from memory_graph.llm.ask import Tariff
from memory_graph.nodes.episodic_capture import episodic_capture
from memory_graph.nodes.memory_hotpath import memory_hotpath
from memory_graph.settings import Price, get_settings
from memory_graph.store.locks import user_lock_across_processes
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from tests.configured import configure
from tests.fakes import BrokenStore
from tests.unit.nodes.test_background import GOOD, KEPT, Failing, Scripted, answering, say


class Slow(Scripted):
    """A model that answers after everybody has left."""

    async def _agenerate(self, *args: object, **kwargs: object) -> None:
        await asyncio.sleep(30)


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setenv("MEMORY_EPISODE_TIMEOUT_S", " 0.2 ")
    get_settings.cache_clear()


@pytest.fixture
def poor(monkeypatch):
    monkeypatch.setenv("MEMORY_EPISODE_BUDGET_USD", "0.0000001")
    get_settings.cache_clear()


async def test_stored(store, now):
    [line], _ = await say(store, answering(GOOD))

    [episode] = await memory_of(Owner("ana"), store).episodes.all()
    assert (line["outcome"], line["memory_id"]) == ("stored", episode.id)
    assert (line["user_id"], line["thread_id"]) == ("ana", "t")
    assert line["duration_ms"] >= 0
    assert "reason" not in line
    assert episode.summariser == PROMPT


async def test_timeout(store, now, impatient):
    [line], _ = await say(store, Slow(messages=iter(())))

    assert (line["outcome"], line["reason"]) == ("timeout", "TimeoutError")
    await _is_written_without_a_model(store, line)


async def test_model_error(store, now):
    [line], _ = await say(store, Failing(messages=iter(())))

    assert (line["outcome"], line["reason"]) == ("model_error", "ConnectionError")
    await _is_written_without_a_model(store, line)


async def test_parse_error(store, now):
    [line], _ = await say(store, answering("no json at all"))

    assert (line["outcome"], line["reason"]) == ("parse_error", "ExtractionError")
    await _is_written_without_a_model(store, line)


async def test_a_story_that_nobody_told_is_written_in_the_users_own_words(store, now):
    story = "The user expresses disappointment that friends missed their goal before Christmas."
    [line], _ = await say(store, answering(json.dumps({**json.loads(GOOD), "summary": story})))

    assert (line["outcome"], line["reason"]) == ("parse_error", "not_said")
    await _is_written_without_a_model(store, line)


async def test_over_budget(store, now, poor):
    [line], _ = await say(store, answering(GOOD))

    assert (line["outcome"], line["reason"]) == ("over_budget", "over_budget")
    await _is_written_without_a_model(store, line)


async def _is_written_without_a_model(store, line):
    assert "memory_id" not in line
    [episode] = await memory_of(Owner("ana"), store).episodes.all()
    assert episode.summariser == EXTRACTIVE
    again, _ = await say(store, answering(GOOD))
    assert again == [], "a failed generation is tried again on the next turn"


async def test_store_failed(store, now, monkeypatch):
    from memory_graph.episodes import writing

    async def broken(*_: object) -> None:
        raise ConnectionError("down")

    monkeypatch.setattr(writing, "write_episode", broken)
    [line], _ = await say(store, answering(GOOD))

    assert (line["outcome"], line["reason"]) == ("store_failed", "ConnectionError")
    assert "memory_id" not in line


async def test_the_duration_leaves_out_the_time_in_the_queue(store, now, monkeypatch):
    seconds = [0.0]
    stopwatch = SimpleNamespace(perf_counter=lambda: seconds[0])
    monkeypatch.setattr("memory_graph.episodes.writing.time", stopwatch)
    memory = memory_of(Owner("ana"), store)
    async with user_lock_across_processes(memory.scope):
        waiting = asyncio.create_task(say(store, answering(GOOD)))
        await asyncio.wait({waiting}, timeout=0.3)
        seconds[0] += 60
    [line], _ = await waiting

    assert line["duration_ms"] == 0


def test_a_budget_bounds_the_answer_with_and_without_a_price():
    priced = Tariff(Price(3.0, 15.0), 0.01)
    unknown = Tariff(None, 0.01)

    assert 0 < priced.most_tokens("x" * 3000) < 500
    assert priced.most_tokens("x" * 30_000) == 0
    assert unknown.most_tokens("x" * 3000) == 2000
    assert unknown.most_tokens("x" * 60_000) == 0


def test_the_defaults_are_those_of_the_sources():
    from memory_graph.llm.models import patience_with

    settings = get_settings()
    assert patience_with(answering(GOOD)).episode_s == 120
    assert (settings.episode_budget_usd, settings.extraction_budget_usd) == (0.15, 0.01)


async def test_the_whole_pair_reaches_the_model_and_a_cut_is_said(store, now, monkeypatch):
    configure(monkeypatch, limits={"episode_characters": 2000})
    long = f"{KEPT} {'The reasons are many and we went through each of them. ' * 60} THE-END"
    asked = Asked(messages=iter([AIMessage(GOOD)]))

    [line], _ = await say(store, asked, long)

    assert line["cut_characters"] == len(long) - 2000
    configure(monkeypatch, limits={"episode_characters": 12000})
    whole = Asked(messages=iter([AIMessage(GOOD)]))
    [line], _ = await say(store, whole, long, user="bo")
    assert "THE-END" in whole.prompts[0]
    assert "cut_characters" not in line


class Asked(GenericFakeChatModel):
    """Keeps what it is asked."""

    prompts: list[str] = []  # noqa: RUF012 — a pydantic field

    def _generate(self, messages: object, *args: object, **kwargs: object) -> object:
        self.prompts.append(str(messages))
        return super()._generate(messages, *args, **kwargs)


@pytest.mark.parametrize(("most", "shows_it"), [(1, False), (2, True)])
async def test_the_summary_sees_the_last_messages_of_a_window(
    store, now, monkeypatch, most, shows_it
):
    monkeypatch.setenv("EPISODIC_WINDOW_N", str(most))
    get_settings.cache_clear()
    asked = Asked(messages=iter([AIMessage(GOOD)]), prompts=[])

    await say(store, asked)

    shown = asked.prompts[0].rpartition("The exchange:")[2]
    assert (f"user: {KEPT}" in shown) is shows_it


async def test_the_names_of_tools_reach_the_record_whatever_the_model_says(store, now):
    runtime = Runtime(context=Context(user_id="ana"), store=store, stream_writer=lambda _: None)
    call = {"name": "deploy_service", "args": {}, "id": "c1"}
    messages = [
        HumanMessage(KEPT, id="m1"),
        AIMessage("", id="m2", tool_calls=[call]),
        ToolMessage("done", name="deploy_service", tool_call_id="c1", id="m3"),
        AIMessage("Deployed.", id="m4"),
    ]
    config = {"configurable": {"thread_id": "t"}}
    await episodic_capture.using(model=answering(GOOD))({"messages": messages}, runtime, config)

    [episode] = await memory_of(Owner("ana"), store).episodes.all()
    assert episode.summariser == PROMPT
    assert episode.metadata.tools_used == ("deploy_service",)


async def test_the_model_writes_the_metadata(store, now):
    told = {
        "outcome": "failure",
        "decisions": ["Use a restore point"],
        "entities": ["Postgres"],
        "tags": ["storage"],
        "lessons": ["Try it on a copy"],
    }
    await say(store, answering(json.dumps({**json.loads(GOOD), **told})))

    [episode] = await memory_of(Owner("ana"), store).episodes.all()
    metadata = episode.metadata
    assert (episode.outcome, episode.lessons) == ("failure", ("Try it on a copy",))
    assert metadata.key_decisions == ("Use a restore point",)
    assert "Postgres" in metadata.entities
    assert "storage" in metadata.tags


async def test_an_empty_title_falls_back_to_the_first_line(store, now):
    untitled = json.dumps({"summary": "The archive moves.\nTo Postgres.", "topic": " "})
    [line], _ = await say(store, answering(untitled))

    [episode] = await memory_of(Owner("ana"), store).episodes.all()
    assert (line["outcome"], episode.title) == ("stored", "The archive moves.")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        pytest.param({"facts": [], "has_episode": True}, True, id="said"),
        pytest.param({"facts": [], "has_episode": False}, False, id="denied"),
        pytest.param({"facts": []}, None, id="left out"),
        pytest.param({"facts": [], "has_episode": "yes"}, None, id="no boolean"),
    ],
)
def test_stage_one_says_whether_something_came_of_it(answer, told):
    assert MessageRead.model_validate(answer).has_episode is told


STATED = "I live in Lisbon and my photo server is old."


@pytest.fixture
def read_before_the_reply(monkeypatch):
    monkeypatch.setenv("MEMORY_GRAPH_READ", "before")
    get_settings.cache_clear()


async def hot(store, answer):
    runtime = Runtime(context=Context(user_id="ana"), store=store, stream_writer=lambda _: None)
    state = {"messages": [HumanMessage(STATED, id="m1")]}
    model = answering(answer) if isinstance(answer, str) else answer
    config = {"configurable": {"thread_id": "t"}}
    return await memory_hotpath.using(model=model)(state, runtime, config)


@pytest.mark.usefixtures("read_before_the_reply")
async def test_the_word_of_stage_one_reaches_capture_as_evidence(store, now):
    kept = []
    for has_episode in (None, True):
        store = InMemoryStore()
        await hot(store, json.dumps({"facts": [], "has_episode": has_episode}))
        runtime = Runtime(context=Context(user_id="ana"), store=store, stream_writer=lambda _: None)
        state = {"messages": [HumanMessage(STATED, id="m1"), AIMessage("Fine.", id="m2")]}
        await episodic_capture(state, runtime, {"configurable": {"thread_id": "t"}})
        kept.append(len(await memory_of(Owner("ana"), store).episodes.all()))

    assert kept == [0, 1]


async def test_what_a_model_sees_no_episode_in_is_not_kept(store, now):
    [line], events = await say(store, answering(json.dumps({"worth": False})))

    assert (line["outcome"], line["reason"]) == ("declined", "nothing_came_of_it")
    assert "memory_id" not in line
    assert await memory_of(Owner("ana"), store).episodes.all() == []
    assert "nothing_came_of_it" in {each.get("reason") for each in events}


@pytest.mark.usefixtures("read_before_the_reply")
@pytest.mark.parametrize("model", [Failing(messages=iter(())), "no json"], ids=["down", "no json"])
async def test_a_failed_reading_never_says_that_something_came_of_it(store, now, model):
    await hot(store, model)

    [record] = await memory_of(Owner("ana"), store).turns.waiting()
    assert record.has_episode is None


async def test_a_broken_store_costs_no_reply(now):
    lines, events = await say(BrokenStore(), answering(GOOD))

    assert lines == []
    assert events[-1]["event"] == "memory.gave_up"


@pytest.mark.parametrize("facts", [7, "none"])
def test_what_is_no_list_of_facts_is_said_to_be_unusable(facts: object) -> None:
    assert MessageRead.model_validate({"facts": facts}).unusable == 1
