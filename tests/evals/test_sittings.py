"""What is played for a search is what the graph does."""

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore

from evals.suites.sitting_play import play
from evals.suites.sittings import Line, Sitting, read_sittings
from memory_graph import clock
from memory_graph.embedding import Embedder
from memory_graph.nodes.episodic_capture import episodic_capture
from memory_graph.nodes.memory_context import memory_context
from memory_graph.nodes.memory_hotpath import memory_hotpath
from memory_graph.policies import CapturePolicy
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of

SITTINGS = {each.id: each for each in read_sittings()}
PLAYED = [
    "sit-export-bug",
    "sit-quick-fire-admin",
    "sit-kitchen-quotes",
    "sit-two-deploys",
    "sit-support-queue",
    "sit-backup-two-days",
]


def replies(line: Line, number: int) -> list[AnyMessage]:
    """Return what the assistant of a line does, as messages."""
    messages: list[AnyMessage] = []
    for tool in line.tools:
        call = {"name": tool.name, "args": {}, "id": f"call-{number}", "type": "tool_call"}
        status = "error" if tool.failed else "success"
        result = ToolMessage(tool.result, tool_call_id=call["id"], name=tool.name, status=status)
        messages += [AIMessage("", tool_calls=[call]), result]
    return [*messages, AIMessage(line.reply)]


async def live(sitting: Sitting) -> list[list[int]]:
    """Return the episodes the real nodes make of a sitting, each by its lines."""
    store = InMemoryStore()

    def agent(state: MessagesState) -> dict[str, list[AnyMessage]]:
        number = sum(isinstance(each, HumanMessage) for each in state["messages"]) - 1
        return {"messages": replies(sitting.lines[number], number)}

    builder = StateGraph(MessagesState)
    builder.add_sequence([memory_hotpath, memory_context, agent, episodic_capture])
    builder.add_edge(START, "memory_hotpath")
    graph = builder.compile(store=store, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": sitting.id, "user_id": "ana"}}
    for number, line in enumerate(sitting.lines):
        with clock.frozen(line.moment):
            asked = {"messages": [HumanMessage(line.user, id=f"m{number}")]}
            await graph.ainvoke(asked, config)
    episodes = await memory_of(Owner("ana"), store).episodes.all()
    return sorted([int(m.removeprefix("m")) for m in e.source.message_ids] for e in episodes)


@pytest.mark.parametrize("name", PLAYED)
async def test_a_sitting_is_played_as_the_graph_takes_it(name, embedder: Embedder) -> None:
    sitting = SITTINGS[name]

    played = play(sitting, CapturePolicy(), embedder)

    assert sorted(map(list, played.episodes)) == await live(sitting)


def test_a_sitting_is_played_anew_only_where_a_comparison_ends_differently(embedder) -> None:
    sitting = SITTINGS["sit-marathon"]
    policy = CapturePolicy()
    first = play(sitting, policy, embedder)

    same = play(sitting, policy.model_copy(update={"novelty_min": 0.11}), embedder)
    other = play(sitting, policy.model_copy(update={"cooldown_turns": 0}), embedder)

    assert same is first
    assert other.episodes != first.episodes


def test_every_story_is_opened_once_and_lines_without_one_have_none() -> None:
    for sitting in SITTINGS.values():
        opened = [line.story for line in sitting.lines if line.label == "opens"]
        assert len(opened) == len(set(opened)), sitting.id
        for line in sitting.lines:
            assert bool(line.story) == (line.label != "nothing"), (sitting.id, line.user)
            assert not line.story or line.story in opened, (sitting.id, line.user)
