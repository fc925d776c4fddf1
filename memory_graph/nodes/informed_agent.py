"""How does an agent that knows nothing of memory get to see it?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from langchain_core.messages import BaseMessage, SystemMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.errors import ParentCommand
from langgraph.types import Command
from typing_extensions import override

from memory_graph.nodes.agent_memory import agent_memory

MESSAGE_ID = "memory-graph-context"
"""Always the same, so that the message is known again in whatever the agent returns."""

T = TypeVar("T")
State = Mapping[str, object]


class InformedAgent(Runnable[State, object]):
    """Somebody's agent, which sees memory as its first message and never returns it."""

    def __init__(
        self, agent: Runnable[object, object], as_their_state: Callable[[State], object]
    ) -> None:
        self.name = agent.get_name()
        self._agent = agent
        self._as_their_state = as_their_state

    @override
    def invoke(
        self, input: State, config: RunnableConfig | None = None, **kwargs: object
    ) -> object:
        try:
            return without_memory(self._agent.invoke(self._informed(input), config))
        except ParentCommand as handoff:
            raise ParentCommand(without_memory(handoff.args[0])) from handoff

    @override
    async def ainvoke(
        self, input: State, config: RunnableConfig | None = None, **kwargs: object
    ) -> object:
        try:
            return without_memory(await self._agent.ainvoke(self._informed(input), config))
        except ParentCommand as handoff:
            raise ParentCommand(without_memory(handoff.args[0])) from handoff

    def _informed(self, state: State) -> object:
        theirs = {key: value for key, value in state.items() if not key.startswith("memory_")}
        messages = state.get("messages")
        told = agent_memory(state)
        if told and isinstance(messages, Sequence):
            theirs["messages"] = [SystemMessage(told, id=MESSAGE_ID), *messages]
        return self._as_their_state(theirs)


def without_memory(returned: T) -> T:
    """Return what an agent returned, less the message that only told it what is remembered."""
    if isinstance(returned, Command):
        return replace(returned, update=without_memory(returned.update))
    if isinstance(returned, Mapping) and isinstance(returned.get("messages"), list):
        return {**returned, "messages": without_memory(returned["messages"])}  # type: ignore[return-value]
    if isinstance(returned, list):
        return [without_memory(each) for each in returned if not _is_memory(each)]  # type: ignore[return-value]
    return returned


def _is_memory(message: object) -> bool:
    return isinstance(message, BaseMessage) and message.id == MESSAGE_ID
