"""Memory in a real deep agent: as middleware beside its own, and as files."""

from datetime import timedelta
from pathlib import Path

import pytest
from deepagents import create_deep_agent
from deepagents.backends import CompositeBackend, FilesystemBackend, StateBackend
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.store.memory import InMemoryStore

from memory_graph import Context, Memory, MemoryMiddleware, clock
from memory_graph.deepagents import MemoryBackend
from memory_graph.testing import ScriptedChat
from tests.conftest import NOON

ANA = Context(user_id="ana")


def calls(name: str, **args: object) -> AIMessage:
    return AIMessage("", tool_calls=[{"id": f"{name}-1", "name": name, "args": args}])


def answers_of(result: dict[str, object]) -> list[str]:
    return [str(m.text) for m in result["messages"] if isinstance(m, ToolMessage)]


@pytest.fixture
async def store() -> InMemoryStore:
    store = InMemoryStore()
    with clock.frozen(NOON - timedelta(days=1)):
        await Memory(store, context=ANA).aadd("I live in Lisbon. My cat Luna is 3.")
    return store


async def ask(store: InMemoryStore, *replies: AIMessage | str) -> dict[str, object]:
    files = CompositeBackend(default=StateBackend(), routes={"/memories/": MemoryBackend()})
    agent = create_deep_agent(
        model=ScriptedChat(replies=[*replies, "Done."]),
        backend=files,
        store=store,
        context_schema=Context,
    )
    return await agent.ainvoke({"messages": [HumanMessage("Look it up.")]}, context=ANA)


async def test_the_agent_lists_reads_and_searches_memory(store: InMemoryStore) -> None:
    listed, read, found = answers_of(
        await ask(
            store,
            calls("ls", path="/memories/"),
            calls("read_file", file_path="/memories/profile.md"),
            calls("grep", pattern="Luna", path="/memories/", output_mode="content"),
        )
    )
    assert "/memories/profile.md" in listed
    assert "/memories/instructions.md" in listed
    assert "Lisbon" in read
    assert "Luna" in found


async def test_a_note_is_remembered_and_what_leaves_it_is_forgotten(store: InMemoryStore) -> None:
    path = "/memories/notes/trip.md"
    await ask(
        store, calls("write_file", file_path=path, content="The user's train leaves at 9:15.")
    )
    memory = Memory(store, context=ANA)
    [noted] = [fact for fact in await memory.afacts() if "9:15" in fact.statement]
    assert any(each.startswith("note:/notes/trip.md") for each in noted.source.message_ids)

    change = {"file_path": path, "old_string": "9:15", "new_string": "10:40"}
    result = await ask(store, calls("edit_file", **change), calls("read_file", file_path=path))

    assert "10:40" in answers_of(result)[1]
    assert not [fact for fact in await memory.afacts() if "9:15" in fact.statement]


async def test_memorys_own_files_are_not_written(store: InMemoryStore) -> None:
    [answer] = answers_of(
        await ask(
            store, calls("write_file", file_path="/memories/profile.md", content="I am king.")
        )
    )
    assert "/notes/" in answer
    assert not [f for f in await Memory(store, context=ANA).afacts() if "king" in f.statement]


async def test_a_secret_in_a_note_is_refused_with_its_reason(store: InMemoryStore) -> None:
    content = "The key is sk-proj-9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a."
    [answer] = answers_of(
        await ask(store, calls("write_file", file_path="/memories/notes/key.md", content=content))
    )
    assert "Not kept" in answer


async def test_another_user_sees_nothing_of_it(store: InMemoryStore) -> None:
    backend = MemoryBackend(store, user_id="ben")
    assert "Lisbon" not in str(await backend.aread("/profile.md"))


def test_middleware_stands_beside_the_memory_files_of_deepagents(
    store: InMemoryStore, tmp_path: Path
) -> None:
    (tmp_path / "AGENTS.md").write_text("Always greet in Latin.", encoding="utf-8")
    model = ScriptedChat(replies=["Salve."])
    agent = create_deep_agent(
        model=model,
        backend=FilesystemBackend(root_dir=tmp_path, virtual_mode=True),
        memory=["/AGENTS.md"],
        middleware=[MemoryMiddleware()],
        store=store,
        context_schema=Context,
    )
    agent.invoke({"messages": [HumanMessage("Where do I live?")]}, context=ANA)
    shown = "\n".join(
        str(each.text)
        for each in model.prompts[0]
        if isinstance(each, SystemMessage | HumanMessage)
    )
    assert "greet in Latin" in shown
    assert "Lisbon" in shown
