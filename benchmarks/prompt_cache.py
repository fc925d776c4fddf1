"""How much of the prompt stays the same from turn to turn, so that a provider's cache holds it?

Run: python -m benchmarks.prompt_cache
"""

import asyncio
from collections.abc import Callable, Sequence
from itertools import pairwise, takewhile

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore

from memory_graph import MemoryMiddleware, add_memory, build_graph, prompts
from memory_graph.testing.scripted import ScriptedChat

SYSTEM = prompts.render("supervisor")
"""All have the same system prompt, so that they can be compared."""

TOLD = (
    "My cat Luna is 3 and she is allergic to chicken.",
    "I live in Lisbon, in a flat near the river.",
    "We decided to renew the passports in March.",
    "My sister Eva visits us every second weekend.",
    "I take the 7:40 train to work on weekdays.",
)
ASKED = (
    "Where do I live, and what did we decide about the passports?",
    "What can Luna not eat?",
    "Look up the weather for this weekend, please.",
    "When does my train leave?",
    "Who comes to visit?",
)
FOUND = "Saturday: sunny, 21 degrees, light wind from the north. Sunday: clouds, 18 degrees. " * 4
REPLY = "Of course, I will keep that in mind for you. Is there anything else that I should plan?"
Agent = Callable[[ScriptedChat], Runnable[object, object]]


@tool
def weather(day: str) -> str:
    """Return the forecast."""
    return FOUND


def conversation(turns: int) -> list[str]:
    """Return what the user says: half of it told, half of it asked."""
    pairs = zip(TOLD * turns, ASKED * turns, strict=False)
    return [text for pair in pairs for text in pair][:turns]


def plain(model: ScriptedChat) -> Runnable[object, object]:
    """An agent without memory."""
    return create_agent(model, [weather], system_prompt=SYSTEM, checkpointer=InMemorySaver())


def middleware(model: ScriptedChat) -> Runnable[object, object]:
    """The same agent with `MemoryMiddleware`."""
    return create_agent(
        model,
        [weather],
        system_prompt=SYSTEM,
        middleware=[MemoryMiddleware()],
        store=InMemoryStore(),
        checkpointer=InMemorySaver(),
    )


def composed(model: ScriptedChat) -> Runnable[object, object]:
    """The same agent in a graph, with `add_memory` around it."""
    builder = StateGraph(MessagesState)
    builder.add_node("agent", create_agent(model, [weather], system_prompt=SYSTEM))
    builder.add_edge(START, "agent")
    return add_memory(builder).compile(store=InMemoryStore(), checkpointer=InMemorySaver())


def supervised(model: ScriptedChat) -> Runnable[object, object]:
    """Our own graph."""
    return build_graph(
        store=InMemoryStore(), checkpointer=InMemorySaver(), model=model, tools=[weather]
    )


AGENTS: dict[str, Agent] = {
    "plain agent": plain,
    "MemoryMiddleware": middleware,
    "add_memory": composed,
    "build_graph": supervised,
}


def script(texts: Sequence[str]) -> ScriptedChat:
    """Return a model that looks up the weather where it is asked to."""
    replies: list[str | AIMessage] = []
    for place, text in enumerate(texts):
        if "weather" in text:
            call = {"name": "weather", "args": {"day": "weekend"}, "id": f"c{place}"}
            replies.append(AIMessage("", tool_calls=[call]))
        replies.append(REPLY)
    draft = {"summary": "They planned.", "topic": "planning", "outcome": "ongoing"}
    return ScriptedChat(
        replies=replies, answers={"ExtractedFacts": {"facts": []}, "EpisodeDraft": draft}
    )


async def prompts_of(agent: Agent, texts: Sequence[str]) -> list[list[str]]:
    """Return what the model was shown, turn by turn and call by call, in one thread."""
    model = script(texts)
    running = agent(model)
    turns: list[list[str]] = []
    for text in texts:
        before = len(model.prompts)
        await running.ainvoke(
            {"messages": [HumanMessage(text)]},
            {"configurable": {"user_id": "ana", "thread_id": "t"}},
        )
        turns.append(["\n".join(map(_written, shown)) for shown in model.prompts[before:]])
    return turns


def _written(message: BaseMessage) -> str:
    return f"{message.type}: {message.content}"


def kept(turns: Sequence[Sequence[str]]) -> int:
    """Return how many characters each turn's first prompt shares with the last one before it."""
    return sum(_shared(before[-1], now[0]) for before, now in pairwise(turns))


def _shared(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


async def measure(turns: int = 30) -> dict[str, dict[str, float]]:
    """Return, per agent, the share of its prompts that was sent on the turn before.

    `of_plain` is what it keeps of what an agent without memory keeps.
    """
    texts = conversation(turns)
    base = kept(await prompts_of(plain, texts))
    shares: dict[str, dict[str, float]] = {}
    for name, agent in AGENTS.items():
        shown = await prompts_of(agent, texts)
        sent = sum(len(turn[0]) for turn in shown[1:])
        shares[name] = {"same": kept(shown) / sent, "of_plain": kept(shown) / base}
    return shares


def main() -> None:
    """Print the table."""
    print("| agent | same as on the turn before | of what the plain agent keeps |\n|---|---|---|")
    for name, shares in asyncio.run(measure()).items():
        print(f"| {name} | {shares['same']:.1%} | {shares['of_plain']:.1%} |")


if __name__ == "__main__":
    main()
