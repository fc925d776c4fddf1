"""The node that answers, with memory in its prompt and with tools."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from memory_graph import clock, prompts
from memory_graph.context import Context
from memory_graph.language.frames import frames_for
from memory_graph.language.sentences import means_everything, to_forget
from memory_graph.language.words import language_of
from memory_graph.llm.models import ModelLike, models_for
from memory_graph.llm.offline_chat import OfflineChat
from memory_graph.nodes._node import as_node
from memory_graph.nodes._turns import is_summary
from memory_graph.records import RecallFound
from memory_graph.safety.secrets import escape_for_prompt, fence, one_line
from memory_graph.state import RecallNote, State, SupervisorUpdate
from memory_graph.store.owner import run_context

_HONEST: dict[RecallFound, str] = {
    "found": "The user asks something, and the first notes may answer it.",
    "weak": "The user asks something, and some of the notes may answer it; if none does, say so.",
    "none": "Perhaps no note answers what the user asks: then do not guess, say that you do not "
    "know it.",
}


def recall_hint(recall: RecallNote | None) -> str:
    """Say how far memory answers a question; nothing for other messages."""
    note = recall or RecallNote()
    found = note.get("found", "none")
    asks = note.get("intent", "none") == "explicit" or (note.get("asks") and found != "none")
    if not asks:
        return ""
    answers = [one_line(each, _LONGEST) for each in (note.get("answers") or ())[:_MOST]]
    if found != "found" or not answers:
        return _HONEST[found]
    told = fence("answer", map(escape_for_prompt, answers))
    return f"{_HONEST[found]} Said to the user, they read:\n{told}"


_MOST, _LONGEST = 2, 200
"""How many answers the prompt holds in words that can be said to the user, and how long."""


def agent_memory(state: Mapping[str, object], *, today: str = "") -> str:
    """Return what any agent is told from memory; empty when there is nothing to say.

    Whoever gives a day of their own is told it in any case.
    """
    note = cast(RecallNote, state.get("memory_recall") or {})
    memory, hint = str(state.get("memory_context") or ""), recall_hint(note)
    if not (memory or hint or today):
        return ""
    return prompts.render(
        "agent_memory",
        today=today or note.get("today") or clock.utc_now().date().isoformat(),
        memory=memory or "(nothing yet)",
        recall=hint,
    )


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
    own = f"{notes}\n\n{content}" if isinstance(content, str) else [_text(notes), *content]
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


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


@as_node
async def supervisor(
    state: State,
    runtime: Runtime[Context],
    config: RunnableConfig,
    *,
    model: ModelLike | None = None,
    tools: Sequence[BaseTool] = (),
) -> SupervisorUpdate:
    """Reply to the user, or ask for tools. Memory goes into the prompt, never into `messages`."""
    context = run_context(runtime, config)
    chat = models_for(context, model).chat
    if chat is None:
        reply = await _offline(state).ainvoke(state["messages"][-1:], config)
        return {"messages": [reply]}
    today = clock.utc_now().astimezone(context.zone).date().isoformat()
    shown = with_notes(state["messages"], agent_memory(state, today=today))
    agent = chat.bind_tools(tools) if tools else chat
    system = SystemMessage(prompts.render("supervisor"))
    return {"messages": [await agent.ainvoke([system, *shown], config)]}


def _off(state: State) -> str:
    """Return why memory is off: in full once in a thread, then that it still is."""
    note = state.get("memory_off")
    if not note:
        return ""
    said = (str(each.text) for each in state["messages"] if isinstance(each, AIMessage))
    is_known = any(note["fix"] in each for each in said)
    return "Memory is off." if is_known else note["fix"]


_HEARD = 4
"""Messages by whose language one is answered that shows none of its own: `Kaltmiete 890`."""


def _offline(state: State) -> OfflineChat:
    recall = state.get("memory_recall") or RecallNote()
    replies = (each for each in reversed(state["messages"]) if isinstance(each, AIMessage))
    heard = (each for each in reversed(state["messages"]) if isinstance(each, HumanMessage))
    last, *before = [*(str(each.text) for each in islice(heard, _HEARD + 1)), ""]
    spoken = language_of(last, language_of(" ".join(reversed(before))))
    aside = recall.get("aside", "") if last.strip() else frames_for(spoken)["fine"]
    asked = to_forget(last)
    if asked is not None:
        ended = any(each["action"] == "retract" for each in state.get("memory_decisions") or ())
        missed = "forget_all" if means_everything(asked) else "nothing_to_forget"
        aside = frames_for(spoken)["forgotten" if ended else missed]
    return OfflineChat(
        answers=recall.get("answers") or (),
        asks=recall.get("asks", False) and asked is None,
        found=recall.get("found", "none"),
        is_partial=recall.get("is_partial", False),
        language=recall.get("language", "en") if recall.get("asks") else spoken,
        aside=aside if asked is not None or not state.get("memory_noted") else "",
        off=_off(state),
        is_first=next(replies, None) is None,
    )
