"""Play a finished conversation through the nodes, turn by turn."""

from collections.abc import Mapping, Sequence
from uuid import uuid4

from langchain_core.messages import (
    AnyMessage,
    HumanMessage,
    MessageLikeRepresentation,
    convert_to_messages,
)
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore

from memory_graph import background
from memory_graph.context import Context
from memory_graph.episodes.capture import CAPTURE
from memory_graph.errors import StoreUnavailableError
from memory_graph.llm.models import ModelLike
from memory_graph.nodes._reading import HOTPATH
from memory_graph.nodes.episodic_capture import episodic_capture
from memory_graph.nodes.memory_context import memory_context
from memory_graph.nodes.memory_hotpath import memory_hotpath
from memory_graph.state import MemoryState
from memory_graph.turns.messages import limits_of, read_turns


class Play:
    """One conversation of one user, whose turns memory sees one after the other."""

    def __init__(self, store: BaseStore, context: Context, model: ModelLike | None) -> None:
        self._events: list[Mapping[str, object]] = []
        self._runtime = Runtime(context=context, store=store, stream_writer=self._events.append)
        self._model = model
        self._state: MemoryState = {}

    async def whole(
        self, said: str | Sequence[MessageLikeRepresentation], thread_id: str
    ) -> list[str]:
        """Let memory see a text of the user's, or all messages; return the receipts' ids.

        Raises:
            StoreUnavailableError: If it could not be kept.
            ValueError: If the user said nothing.
        """
        messages = messages_of(said)
        config: RunnableConfig = {"configurable": {"thread_id": thread_id}}
        places = [n for n, each in enumerate(messages) if isinstance(each, HumanMessage)]
        for place, end in zip(places, [*places[1:], len(messages)], strict=True):
            await self._turn(messages[: place + 1], messages[place + 1 : end], config)
        turns = read_turns(messages, config)
        return [turn.receipt_of(node) for turn in turns for node in (HOTPATH, CAPTURE)]

    async def _turn(
        self, said: Sequence[AnyMessage], replied: Sequence[AnyMessage], config: RunnableConfig
    ) -> None:
        """Show one turn; what nobody replied to was not recalled for either."""
        nodes = [memory_hotpath.using(model=self._model), *([memory_context] if replied else [])]
        self._state = {"messages": [*said], "memory_graph": self._state.get("memory_graph") or {}}
        for node in nodes:
            self._state.update(await node(self._state, self._runtime, config))  # type: ignore[typeddict-item]
        self._state["messages"] = [*said, *replied]
        await episodic_capture.using(model=self._model)(self._state, self._runtime, config)
        await background.drain()
        self._check()

    def _check(self) -> None:
        """Raise what nodes keep to themselves in a graph: here is no reply to save."""
        for event in self._events:
            if event["event"] == "memory.gave_up" and event["error"] != "ModelUnavailableError":
                why = event.get("reason") or event["error"]
                raise StoreUnavailableError(f"{event['node']} could not keep it: {why}")


def messages_of(said: str | Sequence[MessageLikeRepresentation]) -> list[AnyMessage]:
    """Return what was said as messages; a text is one of the user's.

    Raises:
        ValueError: If the user said nothing.
    """
    if isinstance(said, str):
        messages: list[AnyMessage] = [HumanMessage(said, id=uuid4().hex)]
    else:
        messages = convert_to_messages(said)  # type: ignore[assignment]  # all of them are
    if not any(isinstance(each, HumanMessage) and each.text.strip() for each in messages):
        raise ValueError("There is no message of the user's in it, so there is nothing to keep.")
    return messages


def as_read(text: str, context: Context) -> str:
    """Return a message as a run reads it: clean, its secrets masked, not too long."""
    [turn] = read_turns([HumanMessage(text)], None, limits_of(context))
    return turn.text
