import asyncio
from dataclasses import dataclass, field

import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore

from memory_graph.context import Context
from memory_graph.graph import build_graph, graph
from memory_graph.nodes import episodic_capture, memory_context, memory_hotpath
from memory_graph.state import State
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from tests.configured import configure
from tests.fakes import BrokenStore, FakeClock, HangingStore


@dataclass
class Talk:
    """One user talking to the graph, turn by turn."""

    store: InMemoryStore = field(default_factory=InMemoryStore)
    user: str = "ana"
    thread: str = "t1"
    zone: str = "UTC"

    def __post_init__(self) -> None:
        self.graph = build_graph(store=self.store, checkpointer=InMemorySaver())
        self.events: list[dict[str, object]] = []

    async def say(self, text: str) -> str:
        self.events = []
        context = Context(user_id=self.user, time_zone=self.zone)
        async for mode, chunk in self.graph.astream(
            {"messages": [HumanMessage(text)]},
            context=context,
            config={"configurable": {"thread_id": self.thread}},
            stream_mode=["custom", "values"],
            output_keys=[*State.__annotations__],
        ):
            if mode == "custom":
                self.events.append(chunk)
            else:
                self.state = chunk
        return str(self.state["messages"][-1].content)

    def named(self, prefix: str) -> list[dict[str, object]]:
        return [event for event in self.events if str(event["event"]).startswith(prefix)]

    @property
    def memory(self):
        return memory_of(Owner(self.user), self.store)


async def test_keeps_corrects_and_recalls_a_fact(now: FakeClock) -> None:
    talk = Talk()
    await talk.say("Hi, I am Ana. My cat Luna is 3.")
    now.move(days=1)
    await talk.say("Luna turned 4 yesterday!")

    answer = await talk.say("How old is Luna?")

    assert "4" in answer
    fact = await talk.memory.facts.get("profile:pet:luna:age")
    assert (fact.history[0].value, fact.value) == ("3", "4")
    assert fact.history[0].valid_to == fact.valid_from == now.at
    assert await talk.memory.episodes.all() == []


@pytest.mark.parametrize(
    "question",
    [
        "what rules did I give you?",
        "Which instructions do you follow?",
        "quelles règles t'ai-je données ?",
    ],
)
async def test_the_rules_that_the_user_gave_are_told_to_who_asks(
    now: FakeClock, question: str
) -> None:
    talk = Talk()
    await talk.say("From now on answer me in short sentences.")

    reply = await talk.say(question)

    assert "- “From now on answer me in short sentences.”" in reply


@pytest.mark.parametrize(
    "question", ["What are the rules of the tennis club?", "What rules did I give my kids?"]
)
async def test_other_rules_are_none_that_the_user_gave(now: FakeClock, question: str) -> None:
    talk = Talk()
    await talk.say("From now on answer me in short sentences.")
    await talk.say("The rules of the tennis club say that shoes must be white.")
    await talk.say("I gave my kids two rules: no phones at dinner and bed at nine.")

    assert "short sentences" not in await talk.say(question)


async def test_without_rules_none_are_told(now: FakeClock) -> None:
    talk = Talk()
    await talk.say("I live in Lisbon.")

    assert "I don't know that yet." in await talk.say("what rules did I give you?")


async def test_another_thread_of_the_user_knows_it_and_another_user_does_not(
    now: FakeClock,
) -> None:
    talk = Talk()
    await talk.say("I live in Lisbon.")

    elsewhere = Talk(store=talk.store, thread="t2")
    stranger = Talk(store=talk.store, user="bob", thread="t3")

    assert "Lisbon" in await elsewhere.say("Where do I live?")
    assert "don't know" in await stranger.say("Where do I live?")


async def test_memory_goes_into_the_prompt_and_never_into_messages(now: FakeClock) -> None:
    talk = Talk()
    await talk.say("I live in Lisbon.")
    await talk.say("Where do I live?")

    assert "Lisbon" in talk.state["memory_context"]
    assert [message.type for message in talk.state["messages"]] == ["human", "ai"] * 2


async def test_replaying_a_turn_writes_nothing_twice(now: FakeClock) -> None:
    talk = Talk()
    await talk.say("We decided to ship on Friday, and my cat Luna is 3.")
    before = await talk.store.asearch(("memories",), limit=1000)
    now.move(hours=1)

    config = {"configurable": {"thread_id": talk.thread}}
    states = [state async for state in talk.graph.aget_state_history(config)]
    first = next(state for state in reversed(states) if state.next == ("memory_hotpath",))
    await talk.graph.ainvoke(None, first.config, context=Context(user_id="ana"))

    after = await talk.store.asearch(("memories",), limit=1000)
    assert {(i.key, str(i.value)) for i in after} == {(i.key, str(i.value)) for i in before}


async def test_every_turn_ends_in_exactly_one_capture_decision_with_a_reason(
    now: FakeClock,
) -> None:
    talk = Talk()
    for text in ("Hello!", "I live in Lisbon.", "We decided to go with Postgres.", "Thanks!"):
        await talk.say(text)
        decided, event = talk.named("episodic.")
        assert (decided["event"], decided["because"]) == ("episodic.decide", event["reason"])
        assert event["reason"]
        now.move(minutes=1)


async def test_a_turn_that_capture_never_saw_is_picked_up_by_the_next(now: FakeClock) -> None:
    talk = Talk()
    stream = talk.graph.astream(
        {"messages": [HumanMessage("We decided to go with Postgres for the billing service.")]},
        context=Context(user_id="ana"),
        config={"configurable": {"thread_id": talk.thread}},
        stream_mode="updates",
    )
    async for update in stream:
        if "supervisor" in update:
            break
    await stream.aclose()
    assert await talk.memory.episodes.all() == []

    await talk.say("Thanks!")

    [episode] = await talk.memory.episodes.all()
    assert len(episode.source.message_ids) == 1
    assert "Postgres" in episode.title


async def test_a_tool_turn_goes_through_the_tools_and_back(now: FakeClock) -> None:
    @tool
    def deploy(service: str) -> str:
        """Deploy a service."""
        return f"{service} deployed, all checks passed"

    call = {"name": "deploy", "args": {"service": "billing"}, "id": "c1", "type": "tool_call"}
    replies = iter([AIMessage("", tool_calls=[call]), AIMessage("Billing is deployed.")])

    class Scripted(GenericFakeChatModel):
        def bind_tools(self, tools, **kwargs):
            return self

        def with_structured_output(self, schema, **kwargs):
            raise NotImplementedError

    result = await build_graph(
        store=InMemoryStore(), model=Scripted(messages=replies), tools=[deploy]
    ).ainvoke(
        {"messages": [HumanMessage("can you deploy billing?")]}, context=Context(user_id="ana")
    )

    assert [m.type for m in result["messages"]] == ["human", "ai", "tool", "ai"]
    assert result["messages"][-1].content == "Billing is deployed."


@pytest.mark.parametrize("store", [BrokenStore, HangingStore])
async def test_an_outage_costs_the_memory_and_never_the_reply(
    store: type[InMemoryStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(monkeypatch, limits={"store_read_timeout_s": 0.1})
    talk = Talk(store=store())

    async with asyncio.timeout(5):
        reply = await talk.say("I live in Lisbon.")

    assert reply
    assert {event["node"] for event in talk.named("memory.gave_up")} == {
        "memory_hotpath",
        "memory_context",
        "episodic_capture",
    }


async def test_without_a_user_memory_is_off_and_the_reply_comes() -> None:
    compiled = build_graph(store=InMemoryStore())
    events = [
        chunk
        async for chunk in compiled.astream(
            {"messages": [HumanMessage("I live in Lisbon.")]}, stream_mode="custom"
        )
    ]
    assert {event["reason"] for event in events} == {"no_user"}
    assert [event["node"] for event in events if event["event"] == "memory.off"] == [
        "memory_hotpath"
    ]


@pytest.mark.parametrize(
    ("wrong", "is_kept"),
    [
        ({"time_zone": 5}, True),
        ({"policies": [1]}, True),
        ({"policies": {"capture": {"max_per_day": "many"}}}, True),
        ({"capture": 5}, True),
        ({"usr": 1}, True),
        ({"user_context": 3}, True),
        ({"memory": "perhaps"}, False),
        ({"user_id": [1]}, False),
    ],
    ids=str,
)
async def test_a_wrong_context_costs_memory_at_most(
    wrong: dict[str, object], is_kept: bool
) -> None:
    store = InMemoryStore()
    done = await build_graph(store=store).ainvoke(
        {"messages": [HumanMessage("I live in Lisbon.")]}, context={"user_id": "ana", **wrong}
    )

    assert done["messages"][-1].text
    assert ("Lisbon" in str(store.search(("memories",), limit=100))) is is_kept


async def test_the_user_may_come_from_configurable() -> None:
    store = InMemoryStore()
    await build_graph(store=store).ainvoke(
        {"messages": [HumanMessage("I live in Lisbon.")]},
        config={"configurable": {"user_id": "ana"}},
    )
    assert await memory_of(Owner("ana"), store).facts.get("profile:city")


async def test_the_nodes_compose_into_somebody_elses_graph(now: FakeClock) -> None:
    @dataclass
    class TheirContext:
        user_id: str
        model: str = "their-model"

    seen: list[str] = []

    class AgentInput(MessagesState):
        memory_context: str

    def agent(state: AgentInput):
        seen.append(state["memory_context"])
        return {"messages": [AIMessage("ok")]}

    theirs = StateGraph(MessagesState, context_schema=TheirContext)
    theirs.add_sequence([memory_hotpath, memory_context])
    theirs.add_node(agent)
    theirs.add_node(episodic_capture)
    theirs.add_edge(START, "memory_hotpath")
    theirs.add_edge("memory_context", "agent")
    theirs.add_edge("agent", "episodic_capture")
    theirs.add_edge("episodic_capture", END)
    compiled = theirs.compile(store=InMemoryStore())

    for text in ("I live in Lisbon.", "Where do I live?"):
        result = await compiled.ainvoke(
            {"messages": [HumanMessage(text)]}, context=TheirContext("ana")
        )

    assert "Lisbon" in seen[-1]
    assert set(result) == {"messages"}


def test_the_bare_graph_has_no_store_or_checkpointer_of_its_own() -> None:
    assert graph.store is None
    assert graph.checkpointer is None
