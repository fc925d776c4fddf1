"""The agent: answers with what is remembered, and calls its tools."""

from collections.abc import Sequence

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import SystemMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from memory_graph import clock, prompts
from memory_graph.context import Context
from memory_graph.llm.models import models_for
from memory_graph.llm.offline.chat import OfflineChat
from memory_graph.nodes.agent_memory import recall_hint
from memory_graph.nodes.both_ways import both_ways
from memory_graph.state import RecallNote, State, SupervisorUpdate
from memory_graph.storage.scope import run_context


@both_ways
async def supervisor(
    state: State,
    runtime: Runtime[Context],
    config: RunnableConfig,
    *,
    model: BaseChatModel | None = None,
    tools: Sequence[BaseTool] = (),
) -> SupervisorUpdate:
    """Reply to the user, or ask for tools. Memory goes into the prompt, never into `messages`."""
    context = run_context(runtime, config)
    chat = models_for(context, model).chat
    if chat is None:
        reply = await _offline(state).ainvoke(state["messages"], config)
        return {"messages": [reply]}
    system = prompts.render(
        "supervisor",
        today=clock.utc_now().astimezone(context.zone).date().isoformat(),
        memory=state.get("memory_context") or "(nothing yet)",
        recall=recall_hint(state.get("memory_recall")),
    )
    agent = chat.bind_tools(tools) if tools else chat
    return {"messages": [await agent.ainvoke([SystemMessage(system), *state["messages"]], config)]}


def _offline(state: State) -> OfflineChat:
    recall = state.get("memory_recall") or RecallNote()
    return OfflineChat(
        noted=state.get("memory_noted") or (),
        answers=recall.get("answers") or (),
        asks=recall.get("asks", False),
        found=recall.get("found", "none"),
        is_partial=recall.get("is_partial", False),
    )
