"""How is one turn of a conversation run and shown?"""

import logging
from dataclasses import dataclass, field

from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.runnables import RunnableConfig

from memory_graph.cli.presenter import Presenter
from memory_graph.cli.telling import tell_event
from memory_graph.context import Context
from memory_graph.errors import ConfigurationError
from memory_graph.graph import MemoryGraph
from memory_graph.storage.labels import user_label
from memory_graph.storage.scope import UserMemory

logger = logging.getLogger(__name__)


@dataclass
class Conversation:
    """One user's thread, and what memory decided in its last turn."""

    graph: MemoryGraph
    memory: UserMemory
    context: Context
    thread: str
    show: Presenter
    last_events: list[dict[str, object]] = field(default_factory=list)

    @property
    def last_decisions(self) -> list[str]:
        """What memory decided in the last turn, each in one line."""
        return [told for event in self.last_events if (told := tell_event(event))]

    async def take_turn(self, text: str) -> None:
        """Stream the reply to `text`, then one line per memory decision.

        A model or a store that fails costs this turn one line, and the chat goes on.
        """
        self.last_events = []
        reply = _Reply(self.show)
        failure = None
        try:
            await self._stream(text, reply)
        except ConfigurationError:
            raise
        except Exception as error:
            logger.debug("The turn failed.", exc_info=error)
            told = (str(error).strip().splitlines() or ["no details"])[0]
            failure = f"{type(error).__name__}: {told}"
        reply.end()
        if self.show.as_json:
            self.show.data_line({"reply": reply.text, "error": failure, "events": self.last_events})
        else:
            self._tell(failure)

    def _tell(self, failure: str | None) -> None:
        if failure:
            self.show.line(f"! no reply: {failure}", "bad")
        for line in self.last_decisions:
            self.show.line(f"  · {line}", "dim")

    async def _stream(self, text: str, reply: "_Reply") -> None:
        async for mode, payload in self.graph.astream(
            {"messages": [HumanMessage(text)]},
            self._config,
            context=self.context,
            stream_mode=["messages", "custom"],
        ):
            if mode == "custom" and isinstance(payload, dict):
                self.last_events.append(payload)
            elif isinstance(payload, tuple) and _is_reply(*payload):
                reply.add(str(payload[0].text))

    @property
    def _config(self) -> RunnableConfig:
        """Threads are the checkpointer's, shared by all users: keep each user's apart."""
        thread_id = f"{user_label(self.memory.owner.user_id)}:{self.thread}"
        return {"configurable": {"thread_id": thread_id}}


def _is_reply(message: object, metadata: dict[str, object]) -> bool:
    spoken = isinstance(message, AIMessage | AIMessageChunk)
    return spoken and metadata.get("langgraph_node") == "supervisor"


@dataclass
class _Reply:
    """A reply as it arrives, piece by piece."""

    show: Presenter
    text: str = ""

    def add(self, piece: str) -> None:
        if not self.show.as_json:
            self.show.piece("" if self.text or not piece else "assistant> ", "bold")
            self.show.piece(piece)
        self.text += piece

    def end(self) -> None:
        if self.text and not self.show.as_json:
            self.show.line()
