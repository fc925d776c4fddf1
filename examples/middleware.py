"""Memory as middleware of a langchain agent, with the memory tools.

Run: python examples/middleware.py
"""

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.store.memory import InMemoryStore

from memory_graph import MemoryMiddleware, memory_tools
from memory_graph.testing import ScriptedChat

# In place of a model of yours, so that this runs without a key.
pattern = {
    "name": "retry-once",
    "trigger": "the payment service times out",
    "action": "retry once with a longer limit",
}
call = {"name": "add_pattern", "args": pattern, "id": "1", "type": "tool_call"}
model = ScriptedChat(
    replies=["Hello Ana.", AIMessage("", tool_calls=[call]), "I will remember that it worked."]
)

agent = create_agent(
    model,
    system_prompt="You are a helpful assistant.",
    middleware=[MemoryMiddleware(tools=memory_tools())],
    store=InMemoryStore(),
)


def main() -> None:
    """Introduce oneself, then let the agent record what worked."""
    for text in ("My name is Ana.", "Retrying once fixed the payment timeout."):
        config: RunnableConfig = {"configurable": {"user_id": "ana"}}
        result = agent.invoke({"messages": [HumanMessage(text)]}, config)
        print(f"you: {text}\nbot: {result['messages'][-1].text}")
    print("The model was told:", "Ana" in str(model.prompts[-1]))


if __name__ == "__main__":
    main()
