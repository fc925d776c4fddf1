"""The node that answers, with memory in its prompt and with tools."""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from memory_graph import clock, prompts
from memory_graph.context import Context
from memory_graph.llm.models import ModelLike, models_for
from memory_graph.nodes._node import as_node
from memory_graph.nodes.memory_context import recalled
from memory_graph.state import RecallNote, State, SupervisorUpdate, ThreadNote
from memory_graph.store.owner import run_context
from memory_graph.turns.messages import is_summary

Tools = Sequence[BaseTool] | Callable[[Context], Sequence[BaseTool]]
"""What the agent may call, in every run or by the run's context."""


def agent_memory(state: Mapping[str, object], *, today: str = "") -> str:
    """Return what any agent is told from memory beside a message; empty when that is nothing.

    Whoever gives a day of their own is told it in any case.
    """
    note = cast(RecallNote, state.get("memory_recall") or {})
    memory = str(state.get("memory_context") or "")
    recall = _NOTHING if note.get("found") == "none" and is_surely_nothing(note) else ""
    if not (memory or recall or today):
        return ""
    return prompts.render(
        "agent_memory",
        today=today or note.get("today") or clock.utc_now().date().isoformat(),
        memory=memory,
        recall=recall,
    )


_NOTHING = "Nothing was found in memory for what the user asks."
_SURELY = 0.05
"""Confidence up to which `none` is right 95 times of 100 (`evals.tuning.recall_signal`)."""


def is_surely_nothing(note: RecallNote) -> bool:
    """Say whether the user asks of their past, and memory surely holds nothing of it."""
    return note.get("intent") == "explicit" and note.get("best", 0.0) <= _SURELY


def stable_notes(state: Mapping[str, object]) -> str:
    """Return what goes to the end of the system prompt: the user's profile and their wishes.

    Where memory is off, the agent is told, so that it promises nothing.
    """
    note = cast(ThreadNote, state.get("memory_graph") or {})
    if note.get("off"):
        return prompts.render("memory_off")
    profile = str(state.get("memory_profile") or "")
    return prompts.render("agent_profile", profile=profile) if profile else ""


def with_notes(messages: Sequence[AnyMessage], notes: str) -> list[AnyMessage]:
    """Return a conversation as a model is shown it: notes in front of the user's last words.

    They are part of that message, since many endpoints refuse a system message after the first
    and two messages of the user in a row. What precedes it is sent as on the turn before, so
    that the provider's prompt cache holds.
    """
    place = last_words(messages)
    if place is None:
        return [*messages, HumanMessage(notes)]
    message = messages[place]
    content = message.content
    own = (
        f"{notes}\n\n{content}"
        if isinstance(content, str)
        else [{"type": "text", "text": notes}, *content]
    )
    return [*messages[:place], message.model_copy(update={"content": own}), *messages[place + 1 :]]


def last_words(messages: Sequence[AnyMessage]) -> int | None:
    """Return the place of what the user said last; a summary is not said by them."""
    summary = None
    for place in range(len(messages) - 1, -1, -1):
        if isinstance(messages[place], HumanMessage):
            if not is_summary(messages[place]):
                return place
            summary = place if summary is None else summary
    return summary


@as_node
async def supervisor(
    state: State,
    runtime: Runtime[Context],
    config: RunnableConfig,
    *,
    model: ModelLike | None = None,
    tools: Tools = (),
) -> SupervisorUpdate:
    """Reply to the user, or ask for tools. Memory goes into the prompt, never into `messages`."""
    context = run_context(runtime, config)
    allowed = tools(context) if callable(tools) else tools
    state = await recalled(state, runtime, config)
    chat = models_for(context, model).chat
    if chat is None:
        from memory_graph.offline.chat import OfflineChat  # noqa: PLC0415 — not with a model
        from memory_graph.offline.reply import offline_reply  # noqa: PLC0415

        offline = OfflineChat(reply=await offline_reply(state, runtime, config))
        return {"messages": [await offline.ainvoke(state["messages"][-1:], config)]}
    today = clock.utc_now().astimezone(context.zone).date().isoformat()
    shown = with_notes(state["messages"], agent_memory(state, today=today))
    agent = chat.bind_tools(allowed) if allowed else chat
    system = "\n\n".join(filter(None, (prompts.render("supervisor"), stable_notes(state))))
    return {"messages": [await agent.ainvoke([SystemMessage(system), *shown], config)]}
