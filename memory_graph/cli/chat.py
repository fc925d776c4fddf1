"""`chat` and `demo`: a conversation in the terminal, and a scripted one."""

import logging
import signal
import sys
import tomllib
from argparse import Namespace
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from zoneinfo import ZoneInfo

from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from memory_graph import clock
from memory_graph.background import drain
from memory_graph.cli import output
from memory_graph.cli.memories import show_forgotten, show_why
from memory_graph.cli.open import context_of, open_store
from memory_graph.cli.output import Presenter, short_id
from memory_graph.context import Context
from memory_graph.errors import ConfigurationError, MemoryGraphError
from memory_graph.graph import MemoryGraph, build_graph
from memory_graph.memory import Memory
from memory_graph.store.scope import user_label

HELP = """  /memories     list what is remembered about you
  /why [ID]     show the decisions of the last turn, or those about one memory
  /forget ID    delete one memory
  /quit         leave"""

logger = logging.getLogger(__name__)
_HISTORY = Path.home() / ".memory-graph" / "chat-history"
_LATEST = 50
ZONE = ZoneInfo("Europe/Lisbon")


@dataclass
class Conversation:
    """One user's thread, and the events of its last turn."""

    graph: MemoryGraph
    memory: Memory
    context: Context
    thread: str
    show: Presenter
    last_events: list[dict[str, object]] = field(default_factory=list)

    @property
    def last_decisions(self) -> list[str]:
        """The memory decisions of the last turn, one line each."""
        return [line for event in self.last_events if (line := output.event_line(event))]

    async def take_turn(self, text: str) -> None:
        """Stream the reply to `text`, then one line per memory decision.

        If the model or the store fails, the error is printed and the chat continues.
        """
        self.last_events = []
        reply, failure, show = "", None, self.show
        try:
            async for piece in self._stream(text):
                if not show.as_json:
                    show.piece("" if reply else "assistant> ", "bold")
                    show.piece(piece)
                reply += piece
        except ConfigurationError:
            raise
        except Exception as error:
            logger.debug("The turn failed.", exc_info=error)
            failure = output.first_line(error)
        if show.as_json:
            turn = {"reply": reply, "error": failure, "events": self.last_events}
            show.data(turn, indent=None)
        else:
            show.piece("\n" if reply else "")
            show.piece(f"! no reply: {failure}\n" if failure else "", "bad")
            show.piece("".join(f"  · {line}\n" for line in self.last_decisions), "dim")

    async def obey(self, line: str) -> None:
        """Do what a line that begins with a slash asks for."""
        name, _, given = line.partition(" ")
        show, memory, given = self.show, self.memory, given.strip()
        try:
            if name == "/memories":
                output.show_facts(show, await memory.aas_of(clock.utc_now()), memory.zone)
                output.show_episodes(show, (await memory.aepisodes())[:_LATEST])
            elif name == "/why" and given:
                show_why(show, await memory.awhy(given), memory.zone)
            elif name == "/why":
                decisions = self.last_decisions or ["no decisions yet"]
                show.line("\n".join(f"  · {each}" for each in decisions))
            elif name == "/forget" and given:
                show_forgotten(show, await memory.aforget(given))
            elif name == "/forget":
                show.line("Usage: /forget ID")
            else:
                unknown = f"Unknown command {name}. Available commands:\n"
                show.line(HELP if name == "/help" else unknown + HELP)
        except MemoryGraphError as error:
            show.line(str(error), "bad")

    async def _stream(self, text: str) -> AsyncIterator[str]:
        """Yield the pieces of the reply, and keep the events beside them.

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
                self.last_events.append(payload)
            elif isinstance(payload, tuple):
                message, metadata = payload
                is_answer = isinstance(message, AIMessage | AIMessageChunk)
                if is_answer and message.text and metadata.get("langgraph_node") == "supervisor":
                    yield str(message.text)


async def run_chat(args: Namespace, show: Presenter) -> None:
    """Answer each line of input until it ends."""
    log = logging.getLogger("memory_graph")
    async with open_store(args) as backend:
        context = context_of(args)
        conversation = Conversation(
            graph=build_graph(store=backend.store, checkpointer=backend.checkpointer),
            memory=Memory(backend.store, user_id=args.user, context=context, shortest_id=1),
            context=context,
            thread=args.thread,
            show=show,
        )
        if show.is_interactive:
            model = context.model or "offline (no model)"
            show.line(f"{args.user} · {model} · {backend.name}", "dim")
            show.line("/help lists commands, Ctrl-D quits.", "dim")
            _load_history()
        if not args.log_level:  # the chat prints each event itself
            log.addFilter(_is_not_an_event)
        try:
            while (line := _read_line(show)) is not None and line not in {"/quit", "/exit"}:
                if line.startswith("/"):
                    await conversation.obey(line)
                elif line:
                    await conversation.take_turn(line)
            await drain()
        finally:
            log.removeFilter(_is_not_an_event)


def _is_not_an_event(record: logging.LogRecord) -> bool:
    return not hasattr(record, "event")


def _read_line(show: Presenter) -> str | None:
    """Return the next line, at a prompt if a person is there; Ctrl-C and Ctrl-D end the chat."""
    if not show.is_interactive:
        line = sys.stdin.readline()
        return line.strip() if line else None
    # asyncio's own handler would only cancel a task, and leave `input` waiting.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return input("you> ").strip()
    except (EOFError, KeyboardInterrupt):
        show.line()
        return None
    finally:
        signal.signal(signal.SIGINT, handler)


def _load_history() -> None:
    try:
        import readline  # noqa: PLC0415 — not on every platform
    except ImportError:
        return
    import atexit  # noqa: PLC0415 — goes with readline

    _HISTORY.parent.mkdir(parents=True, exist_ok=True)
    if _HISTORY.exists():
        readline.read_history_file(_HISTORY)
    readline.set_history_length(1000)
    atexit.register(readline.write_history_file, _HISTORY)


async def run_demo(args: Namespace, show: Presenter) -> None:
    """Play every scene, then show what is remembered."""
    store = InMemoryStore()
    graph = build_graph(store=store, checkpointer=InMemorySaver())
    scenes = tomllib.loads(Path(__file__).with_name("demo.toml").read_text(encoding="utf-8"))
    for scene in scenes["scenes"]:
        show.line(f"\n{scene['question']}", "bold")
        for said in scene["said"]:
            at = said["at"].replace(tzinfo=ZONE)
            context = Context(user_id=said["user"], time_zone=ZONE.key, model=None)
            memory = Memory(store, context=context)
            show.line(f"{at:%a %H:%M} {said['user']}> {said['text']}")
            with clock.frozen(at):
                talk = Conversation(graph, memory, context, scene["question"], show)
                await talk.take_turn(said["text"])
    show.line("\nWhat is remembered about ana at the end", "bold")
    with clock.frozen(at):
        await _summarise(memory.of("ana"), show)


async def _summarise(memory: Memory, show: Presenter) -> None:
    facts = await memory.aas_of(clock.utc_now())
    output.show_facts(show, facts, ZONE)
    output.show_history(show, [fact for fact in facts if fact.history], ZONE)
    episodes = sorted(await memory.aepisodes(), key=lambda each: each.started_at)
    output.show_episodes(show, episodes)
    for episode in episodes:
        show.line(f"  {short_id(episode.id)}: {episode.human_line} {episode.summary}")
    if episodes:
        arc = await memory.achain(episodes[-1].id)
        show.line(f"  Arc: {' → '.join(short_id(each.id) for each in arc)}")
