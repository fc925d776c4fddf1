"""`chat`: a conversation in the terminal."""

import logging
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import click
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.runnables import RunnableConfig

from memory_graph.background import drain
from memory_graph.cli import output
from memory_graph.cli.memories import show_forgotten, show_why
from memory_graph.cli.output import Presenter
from memory_graph.cli.session import Session, for_user
from memory_graph.context import Context
from memory_graph.errors import ConfigurationError, MemoryGraphError
from memory_graph.graph import MemoryGraph, build_graph
from memory_graph.memory import Memory
from memory_graph.store.labels import user_label

HELP = """  /memories     list what is remembered about you
  /why [ID]     show the decisions of the last turn, or those about one memory
  /forget ID    delete one memory
  /quit         leave"""

logger = logging.getLogger(__name__)
_LATEST = 50


@dataclass
class Conversation:
    """One user's thread, and the memory decisions of its last turn, one line each."""

    graph: MemoryGraph
    memory: Memory
    context: Context
    thread: str
    show: Presenter
    last_decisions: Sequence[str] = ()

    async def take_turn(self, text: str) -> None:
        """Stream the reply to `text`, then one line per memory decision.

        If the model or the store fails, the error is printed and the chat continues.
        """
        events: list[dict[str, object]] = []
        reply, failure, show = "", None, self.show
        try:
            async for piece in self._stream(text, events):
                if not show.as_json:
                    show.piece("" if reply else "assistant> ", "bold")
                    show.piece(piece)
                reply += piece
        except ConfigurationError:
            raise
        except Exception as error:
            logger.debug("The turn failed.", exc_info=error)
            failure = output.first_line(error)
        self.last_decisions = [*filter(None, map(output.event_line, events))]
        if show.as_json:
            show.data({"reply": reply, "error": failure, "events": events}, indent=None)
        else:
            show.piece("\n" if reply else "")
            show.piece(f"! no reply: {failure}\n" if failure else "", "bad")
            show.piece("".join(f"  · {line}\n" for line in self.last_decisions), "dim")

    async def _stream(self, text: str, events: list[dict[str, object]]) -> AsyncIterator[str]:
        """Yield the pieces of the reply, and add to the events.

        Thread ids are shared by all users of a checkpointer, so each is prefixed by the user.
        """
        thread_id = f"{user_label(self.context.user_id or '')}:{self.thread}"
        config: RunnableConfig = {"configurable": {"thread_id": thread_id}}
        async for mode, payload in self.graph.astream(
            {"messages": [HumanMessage(text)]},
            config,
            context=self.context,
            stream_mode=["messages", "custom"],
        ):
            if mode == "custom" and isinstance(payload, dict):
                events.append(payload)
            elif isinstance(payload, tuple):
                message, metadata = payload
                is_answer = isinstance(message, AIMessage | AIMessageChunk)
                if is_answer and message.text and metadata.get("langgraph_node") == "supervisor":
                    yield str(message.text)


@click.command(epilog="example: memory-graph chat --user ana")
@click.option("--thread", default="default", metavar="ID", help="thread to continue")
@click.option("--model", metavar="NAME", help="chat model (default: from settings)")
@for_user
async def chat(session: Session, thread: str, model: str | None) -> None:
    """Chat, and see what is remembered and why.

    Each line of input is answered until it ends.
    """
    show = session.show
    async with session.open_store(creates=True) as backend:
        context = session.context(model=model)
        conversation = Conversation(
            graph=build_graph(store=backend.store, checkpointer=backend.checkpointer, tools=None),
            memory=Memory(backend.store, user_id=session.user, context=context, shortest_id=1),
            context=context,
            thread=thread,
            show=show,
        )
        read_line: Callable[[], str | None] = lambda: sys.stdin.readline() or None  # noqa: E731
        if show.is_interactive:
            show.line(
                f"{session.user} · {context.model or 'offline (no model)'} · {backend.name}", "dim"
            )
            show.line("/help lists commands, Ctrl-D quits.", "dim")
            read_line = _prompt(show)
        log = logging.getLogger("memory_graph")
        if not session.log_level:
            log.addFilter(_is_not_an_event)
        try:
            await _talk(conversation, read_line)
            await drain()
        finally:
            log.removeFilter(_is_not_an_event)


def _is_not_an_event(record: logging.LogRecord) -> bool:
    """Keep events out of the log: the chat prints each of them itself."""
    return not hasattr(record, "event")


async def _talk(conversation: Conversation, read_line: Callable[[], str | None]) -> None:
    while (line := read_line()) is not None:
        text = line.strip()
        if text.startswith("/"):
            if not await run_slash_command(conversation, text):
                return
        elif text:
            await conversation.take_turn(text)


def _prompt(show: Presenter) -> Callable[[], str | None]:
    """Return a function that reads a line at a prompt; Ctrl-C and Ctrl-D end the chat."""
    if find_spec("readline"):  # not on every platform
        import readline  # noqa: F401, PLC0415 — arrow keys bring back earlier lines

    def read() -> str | None:
        # asyncio's own handler would only cancel a task, and leave `input` waiting.
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            return input("you> ")
        except (EOFError, KeyboardInterrupt):
            show.line()
            return None
        finally:
            signal.signal(signal.SIGINT, handler)

    return read


async def run_slash_command(conversation: Conversation, line: str) -> bool:
    """Run a slash command; return whether the chat continues."""
    memory, show = conversation.memory, conversation.show
    name, _, given = line.partition(" ")
    if name in {"/quit", "/exit"}:
        return False
    try:
        if name == "/memories":
            output.show_page(show, await memory.apage(), memory.zone)
            output.show_episodes(show, (await memory.aepisodes())[:_LATEST])
        elif name == "/why" and given.strip():
            show_why(show, await memory.awhy(given.strip()), memory.zone)
        elif name == "/why":
            lines = conversation.last_decisions or ["no decisions yet"]
            show.piece("".join(f"  · {each}\n" for each in lines))
        elif name == "/forget" and given.strip():
            show_forgotten(show, await memory.aforget(given.strip()))
        else:
            known = {"/help": "", "/forget": "Usage: /forget ID\n"}
            show.piece(known.get(name, f"Unknown command {name}. Available commands:\n"))
            show.line(HELP)
    except MemoryGraphError as error:
        show.line(str(error), "bad")
    return True
