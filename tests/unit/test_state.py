"""One type names our keys, and every way to wire memory takes them from it."""

from typing import get_type_hints

from langgraph.channels import UntrackedValue
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore

from memory_graph.compose import add_memory
from memory_graph.context import Context
from memory_graph.graph import build_graph, builder
from memory_graph.middleware import RememberingState
from memory_graph.state import MemoryKeys, State

KEYS = get_type_hints(MemoryKeys, include_extras=True)
KEPT = {"memory_graph"}


def test_the_middleware_has_every_key_in_the_same_channel():
    own = get_type_hints(RememberingState, include_extras=True)
    assert {key for key in own if key.startswith("memory_")} == KEYS.keys()
    for key, hint in KEYS.items():
        is_untracked = UntrackedValue in getattr(hint, "__metadata__", ())
        assert (UntrackedValue in getattr(own[key], "__metadata__", ())) == is_untracked


def test_one_key_is_kept_in_checkpoints_wherever_memory_is_wired():
    theirs = StateGraph(MessagesState)
    theirs.add_node("agent", lambda state: {})
    theirs.add_edge(START, "agent")
    composed = add_memory(theirs)
    for channels in (builder.channels, composed.channels):
        assert {*channels} >= KEYS.keys()
        tracked = {k for k in KEYS if not isinstance(channels[k], UntrackedValue)}
        assert tracked == KEPT
    assert get_type_hints(State).keys() == KEYS.keys() | {"messages"}


OLD = {
    "memory_missed": {"m1": {"at": "2026-11-16T12:00:00+00:00", "by": "x"}},
    "memory_handled": {"x": "y"},
    "memory_parties": ["x"],
    "memory_has_episode": ["m1"],
    "memory_erasure": "",
    "memory_context": "<memory>The user lives in Porto.</memory>",
    "memory_recall": {"found": "found"},
    "memory_decisions": [],
}


async def test_a_thread_of_an_older_version_goes_on():
    """Its checkpoints hold keys that are no longer there, and no more of what was recalled."""
    saver, config = InMemorySaver(), {"configurable": {"thread_id": "t"}}
    old = _older()
    await old.compile(checkpointer=saver).ainvoke({"messages": [("user", "Hello!")]}, config)
    graph = build_graph(store=InMemoryStore(), checkpointer=saver)

    said = {"messages": [("user", "I live in Lisbon.")]}
    ended = await graph.ainvoke(said, config, context=Context(user_id="ana"))

    assert len(ended["messages"]) == 4
    values = (await graph.aget_state(config)).values
    assert "Porto" not in str(values)


def _older() -> StateGraph:
    class Older(MessagesState):
        memory_missed: dict
        memory_handled: dict
        memory_parties: list
        memory_has_episode: list
        memory_erasure: str
        memory_context: str
        memory_recall: dict
        memory_decisions: list

    graph = StateGraph(Older)
    graph.add_node("agent", lambda state: {**OLD, "messages": [("ai", "Hi!")]})
    graph.add_edge(START, "agent")
    return graph
