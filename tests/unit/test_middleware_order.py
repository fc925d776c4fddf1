"""`MemoryMiddleware` among langchain's own middleware, in front of it and behind it."""

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import (
    ClearToolUsesEdit,
    ContextEditingMiddleware,
    HumanInTheLoopMiddleware,
    ModelCallLimitMiddleware,
    ModelFallbackMiddleware,
    ModelRetryMiddleware,
    PIIMiddleware,
    SummarizationMiddleware,
    TodoListMiddleware,
    ToolRetryMiddleware,
    dynamic_prompt,
)
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command

from memory_graph.middleware import MemoryMiddleware
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from memory_graph.testing.scripted import ScriptedChat

ANA = {"configurable": {"user_id": "ana", "thread_id": "t1"}}
ORDERS = pytest.mark.parametrize("first", [True, False], ids=["memory first", "memory last"])


@tool
def deploy(service: str) -> str:
    """Deploy a service."""
    return f"{service} deployed, all checks passed"


DEPLOY = AIMessage("", tool_calls=[{"name": "deploy", "args": {"service": "billing"}, "id": "c1"}])


def agent_with(other, model: ScriptedChat, store: InMemoryStore, *, first: bool):
    memory = MemoryMiddleware()
    return create_agent(
        model,
        [deploy],
        system_prompt="You are terse.",
        middleware=[memory, other] if first else [other, memory],
        store=store,
        checkpointer=InMemorySaver(),
    )


async def talk(agent, *texts: str) -> list[AnyMessage]:
    for text in texts:
        result = await agent.ainvoke({"messages": [HumanMessage(text)]}, ANA)
    return result["messages"]


async def everything_kept(store: InMemoryStore) -> str:
    return str([item.value for item in await store.asearch(("memories",), limit=1000)])


@ORDERS
async def test_redaction_protects_memory_too(first: bool) -> None:
    store = InMemoryStore()
    model = ScriptedChat(otherwise="Noted.")
    agent = agent_with(PIIMiddleware("email"), model, store, first=first)

    await talk(agent, "I live in Lisbon. My address is ana.silva@example.com, remember it.")
    await talk(agent, "What is my e-mail address?")

    assert "Lisbon" in await everything_kept(store)
    assert "ana.silva@example.com" not in await everything_kept(store)
    assert "ana.silva@example.com" not in str(model.prompts)


@ORDERS
async def test_a_prompt_made_per_call_and_memory_both_reach_the_model(first: bool) -> None:
    @dynamic_prompt
    def polite(request) -> str:
        return "Be polite."

    model = ScriptedChat(otherwise="Noted.")
    agent = agent_with(polite, model, InMemoryStore(), first=first)

    await talk(agent, "I live in Lisbon.", "Where do I live?")

    assert model.prompts[-1][0].text.startswith("Be polite.")
    assert "Lisbon" in model.prompts[-1][-1].text
    assert "<from_memory>" in model.prompts[-1][-1].text


@ORDERS
async def test_a_summary_of_the_conversation_is_not_taken_for_the_users_words(first: bool) -> None:
    store = InMemoryStore()
    writer = ScriptedChat(otherwise="The user lives in Atlantis and owns a unicorn.")
    summarise = SummarizationMiddleware(writer, trigger=("messages", 4), keep=("messages", 1))
    model = ScriptedChat(otherwise="Noted.")
    agent = agent_with(summarise, model, store, first=first)

    messages = await talk(
        agent, "I live in Lisbon.", "I have a cat.", "My name is Ana.", "Where do I live?"
    )

    assert any(m.additional_kwargs.get("lc_source") == "summarization" for m in messages)
    kept = await memory_of(Owner("ana"), store).facts.all()
    assert "Atlantis" not in str(kept)
    assert {"profile:city", "profile:name"} <= {fact.id for fact in kept}
    assert "Lisbon" in model.prompts[-1][-1].text


OTHERS = [
    ContextEditingMiddleware(edits=[ClearToolUsesEdit(trigger=1, keep=0)]),
    ModelCallLimitMiddleware(run_limit=5),
    ModelFallbackMiddleware(ScriptedChat(otherwise="unused")),
    ModelRetryMiddleware(max_retries=1),
    TodoListMiddleware(),
    ToolRetryMiddleware(max_retries=1),
]


@ORDERS
@pytest.mark.parametrize("other", OTHERS, ids=lambda each: type(each).__name__)
async def test_a_tool_turn_is_remembered_beside(other, first: bool) -> None:
    store = InMemoryStore()
    model = ScriptedChat(replies=["Noted.", DEPLOY, "Billing is deployed."])
    agent = agent_with(other, model, store, first=first)

    messages = await talk(agent, "I live in Lisbon.", "Deploy billing where I live, please.")

    assert messages[-1].text == "Billing is deployed."
    assert all("Lisbon" in str(prompt) for prompt in model.prompts)
    memory = memory_of(Owner("ana"), store)
    assert await memory.facts.get("profile:city")
    assert len(await memory.ledger.recent(node="memory_hotpath")) == 2
    assert len(await memory.ledger.recent(node="episodic_capture")) == 2


@ORDERS
async def test_a_turn_that_a_person_has_to_approve_is_read_once(first: bool) -> None:
    store = InMemoryStore()
    model = ScriptedChat(replies=[DEPLOY, "Billing is deployed."])
    approve = HumanInTheLoopMiddleware(interrupt_on={"deploy": True})
    agent = agent_with(approve, model, store, first=first)

    await talk(agent, "I live in Lisbon. Deploy billing.")
    decision = Command(resume={"decisions": [{"type": "approve"}]})
    result = await agent.ainvoke(decision, ANA)

    assert result["messages"][-1].text == "Billing is deployed."
    assert "<about_the_user>" in str(model.prompts[-1])
    memory = memory_of(Owner("ana"), store)
    assert len(await memory.ledger.recent(node="memory_hotpath")) == 1
    assert len(await memory.ledger.recent(node="episodic_capture")) == 1


class FailingOnce(ScriptedChat):
    """Fails the first time it is asked."""

    def _generate(self, messages, *args, **kwargs):
        result = super()._generate(messages, *args, **kwargs)
        if len(self.prompts) == 1:
            raise ConnectionError("try again")
        return result


@ORDERS
async def test_a_model_call_that_is_tried_again_is_told_again(first: bool) -> None:
    store = InMemoryStore()
    model = FailingOnce(replies=["lost", "Hello."])
    retry = ModelRetryMiddleware(max_retries=1, initial_delay=0)
    agent = agent_with(retry, model, store, first=first)

    messages = await talk(agent, "I live in Lisbon.")

    assert messages[-1].text == "Hello."
    assert all("<about_the_user>" in str(prompt) for prompt in model.prompts)
    memory = memory_of(Owner("ana"), store)
    assert len(await memory.ledger.recent(node="memory_hotpath")) == 1
