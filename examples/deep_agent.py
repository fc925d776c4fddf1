"""Memory as files of a deep agent: it reads `/memories/`, and its notes are remembered.

Run: python examples/deep_agent.py
"""

from deepagents import create_deep_agent
from deepagents.backends import CompositeBackend, StateBackend
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.store.memory import InMemoryStore

from memory_graph import Context, Memory, MemoryMiddleware
from memory_graph.deepagents import MemoryBackend
from memory_graph.testing import ScriptedChat


def calls(name: str, **args: object) -> AIMessage:
    """Return what a model says to call a tool."""
    return AIMessage("", tool_calls=[{"id": name, "name": name, "args": args}])


# In place of a model of yours, so that this runs without a key.
note = {"file_path": "/memories/notes/trip.md", "content": "The offsite is in Porto."}
model = ScriptedChat(
    replies=["Hello Ana.", calls("ls", path="/memories/"), calls("write_file", **note), "Noted."]
)
store = InMemoryStore()
agent = create_deep_agent(
    model=model,
    backend=CompositeBackend(default=StateBackend(), routes={"/memories/": MemoryBackend()}),
    middleware=[MemoryMiddleware()],
    store=store,
    context_schema=Context,
)


def main() -> None:
    """Introduce oneself, then let the agent look at its memory and write a note."""
    ana = Context(user_id="ana")
    for text in ("My name is Ana.", "Write down where the offsite is."):
        result = agent.invoke({"messages": [HumanMessage(text)]}, context=ana)
        print(f"you: {text}\nbot: {result['messages'][-1].text}")
    facts = Memory(store, context=ana).facts()
    print("memory:", *(f"- {fact.statement}" for fact in facts), sep="\n")


if __name__ == "__main__":
    main()
