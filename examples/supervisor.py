"""Several agents, one user's memory: what was told to one is known to all.

Run: python examples/supervisor.py
"""

import asyncio
from typing import Literal

from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command

from memory_graph import add_memory
from memory_graph.testing import ScriptedChat

# In place of models of yours, so that this runs without a key.
cook_model = ScriptedChat(replies=["Noted, no meat.", "Lentil soup, then."])
planner_model = ScriptedChat(replies=["A trip with vegetarian restaurants."])


def supervisor(state: MessagesState) -> Command[Literal["cook", "planner"]]:
    """Hand over to whoever knows about it."""
    asked = state["messages"][-1].text
    return Command(goto="planner" if "trip" in asked else "cook")


builder = StateGraph(MessagesState)
builder.add_node("supervisor", supervisor)
builder.add_node("cook", create_agent(cook_model, name="cook"))
builder.add_node("planner", create_agent(planner_model, name="planner"))
builder.add_edge(START, "supervisor")
graph = add_memory(builder, ["cook", "planner"]).compile(store=InMemoryStore())


async def main() -> None:
    """Tell the cook what one eats, and ask the planner for a trip."""
    for text in ("I am vegetarian.", "Plan a trip for me."):
        config: RunnableConfig = {"configurable": {"user_id": "ana"}}
        result = await graph.ainvoke({"messages": [HumanMessage(text)]}, config)
        print(f"you: {text}\nbot: {result['messages'][-1].text}")
    print("The planner was told:", "vegetarian" in str(planner_model.prompts[0]))


if __name__ == "__main__":
    asyncio.run(main())
