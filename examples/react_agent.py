"""A ReAct agent with tools, and memory around it: one call before `compile`.

Run: python examples/react_agent.py
"""

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore

from memory_graph import add_memory
from memory_graph.testing import ScriptedChat


@tool
def weather(city: str) -> str:
    """Say what the weather is like in a city."""
    return f"Sunny in {city}."


# In place of a model of yours, so that this runs without a key.
call = {"name": "weather", "args": {"city": "Lisbon"}, "id": "1", "type": "tool_call"}
model = ScriptedChat(
    replies=["Nice to know.", AIMessage("", tool_calls=[call]), "It is sunny in Lisbon."]
)

builder = StateGraph(MessagesState)
builder.add_node("agent", create_agent(model, [weather]))
builder.add_edge(START, "agent")
graph = add_memory(builder, "agent").compile(store=InMemoryStore(), checkpointer=InMemorySaver())


def main() -> None:
    """Tell where one lives, then ask for the weather without naming the place."""
    for thread, text in [("1", "I live in Lisbon."), ("2", "What is the weather where I live?")]:
        config: RunnableConfig = {"configurable": {"user_id": "ana", "thread_id": thread}}
        result = graph.invoke({"messages": [HumanMessage(text)]}, config)
        print(f"you: {text}\nbot: {result['messages'][-1].text}")
    print("The agent was told:", "lives in Lisbon" in str(model.prompts[-1]))


if __name__ == "__main__":
    main()
