"""What an assistant makes up about the user's past is nobody's memory."""

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from memory_graph.context import Context
from memory_graph.graph import build_graph
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from memory_graph.testing import ScriptedChat

CONFIG = {"configurable": {"thread_id": "t"}}
INVENTED = "Your dentist appointment is on Tuesday at 3 pm with Dr. Silva."
QUESTIONS = (
    "When is my dentist appointment?",
    "What time did I say my dentist appointment was?",
    "Do you remember when I have to be at the dentist?",
    "Remind me, when is the dentist?",
    "dentist, what time again?",
    "I wonder when my dentist appointment is",
    "Wann ist mein Zahnarzttermin?",
    "Can you tell me about my dentist appointment and what we decided about it?",
)


async def talk(store, *turns):
    said = [reply for _, reply in turns]
    model = ScriptedChat(
        replies=said,
        answers={
            "ExtractedFacts": {"facts": []},
            "EpisodeDraft": {"summary": INVENTED, "topic": "dentist appointment"},
        },
    )
    graph = build_graph(store=store, checkpointer=InMemorySaver(), model=model)
    for text, _ in turns:
        shown = await graph.ainvoke(
            {"messages": [HumanMessage(text)]},
            CONFIG,
            context=Context(user_id="ana"),
            output_keys=["memory_context", "memory_recall"],
        )
    return shown


@pytest.mark.parametrize("question", QUESTIONS)
async def test_an_invented_answer_is_no_episode_and_is_not_found_later(now, question):
    store = InMemoryStore()
    await talk(store, (question, INVENTED), ("Thanks, good to know.", "You are welcome."))
    memory = memory_of(Owner("ana"), store)

    assert await memory.episodes.all() == []
    now.move(days=1)
    state = await talk(store, (question, "I do not know."))
    assert state["memory_recall"]["found"] != "found"
    assert "Silva" not in state.get("memory_context", "")
