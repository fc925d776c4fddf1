"""`chat` and `demo`: a conversation in the terminal, and a scripted one."""

import logging
import signal
import sys
from argparse import Namespace
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from memory_graph import clock
from memory_graph.background import drain
from memory_graph.cli.commands import MODEL, Group, arg
from memory_graph.cli.memories import show_entries, show_forgotten
from memory_graph.cli.open import context_of, open_store
from memory_graph.cli.output import (
    Presenter,
    event_line,
    short_id,
    show_episodes,
    show_facts,
    show_history,
)
from memory_graph.context import Context
from memory_graph.curation.forget import forget
from memory_graph.curation.lookup import entries_about, find_memory
from memory_graph.errors import ConfigurationError, MemoryGraphError
from memory_graph.graph import MemoryGraph, build_graph
from memory_graph.store.backends.protocol import OpenedStore
from memory_graph.store.scope import Owner, UserMemory, memory_of, user_label

COMMANDS = Group()
HELP = """  /memories     list what is remembered about you
  /why [ID]     show the decisions of the last turn, or those about one memory
  /forget ID    delete one memory
  /quit         leave"""

logger = logging.getLogger(__name__)
_HISTORY = Path.home() / ".memory-graph" / "chat-history"


@dataclass
class Conversation:
    """One user's thread, and the events of its last turn."""

    graph: MemoryGraph
    memory: UserMemory
    context: Context
    thread: str
    show: Presenter
    last_events: list[dict[str, object]] = field(default_factory=list)

    @property
    def last_decisions(self) -> list[str]:
        """The memory decisions of the last turn, one line each."""
        return [line for event in self.last_events if (line := event_line(event))]

    async def take_turn(self, text: str) -> None:
        """Stream the reply to `text`, then one line per memory decision.

        If the model or the store fails, the error is printed and the chat continues.
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
            detail = (str(error).strip().splitlines() or ["no details"])[0]
            failure = f"{type(error).__name__}: {detail}"
        reply.end()
        if self.show.as_json:
            self.show.data_line({"reply": reply.text, "error": failure, "events": self.last_events})
        else:
            self._print(failure)

    def _print(self, failure: str | None) -> None:
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
        """Thread ids are shared by all users of a checkpointer, so each is prefixed by the user."""
        thread_id = f"{user_label(self.memory.owner.user_id)}:{self.thread}"
        return {"configurable": {"thread_id": thread_id}}


def _is_reply(message: object, metadata: dict[str, object]) -> bool:
    is_answer = isinstance(message, AIMessage | AIMessageChunk)
    return is_answer and metadata.get("langgraph_node") == "supervisor"


@dataclass
class _Reply:
    """A reply, printed as it arrives."""

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


@COMMANDS.command(
    "chat",
    "--user ana",
    arg("--thread", default="default", metavar="ID", help="thread to continue"),
    MODEL,
    creates=True,
)
async def run_chat(args: Namespace, show: Presenter) -> None:
    """Answer each line of input until it ends."""
    async with open_store(args) as backend:
        conversation = _start(args, backend, show)
        if show.is_interactive:
            _greet(conversation, backend)
        read_line = _prompt(show) if show.is_interactive else _pipe()
        with _events_not_logged(unless=bool(args.log_level)):
            await _talk(conversation, read_line)
            await drain()


async def _talk(conversation: Conversation, read_line: Callable[[], str | None]) -> None:
    while (line := read_line()) is not None:
        text = line.strip()
        if text.startswith("/"):
            if not await run_slash_command(conversation, text):
                return
        elif text:
            await conversation.take_turn(text)


def _start(args: Namespace, backend: OpenedStore, show: Presenter) -> Conversation:
    return Conversation(
        graph=build_graph(store=backend.store, checkpointer=backend.checkpointer),
        memory=memory_of(Owner(args.user), backend.store),
        context=context_of(args),
        thread=args.thread,
        show=show,
    )


def _greet(conversation: Conversation, backend: OpenedStore) -> None:
    model = conversation.context.model or "offline (no model)"
    user = conversation.memory.owner.user_id
    conversation.show.line(f"{user} · {model} · {backend.name}", "dim")
    conversation.show.line("/help lists commands, Ctrl-D quits.", "dim")


def _pipe() -> Callable[[], str | None]:
    return lambda: sys.stdin.readline() or None


def _prompt(show: Presenter) -> Callable[[], str | None]:
    """Return a function that reads a line at a prompt; Ctrl-C and Ctrl-D end the chat."""
    _load_history()

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


@contextmanager
def _events_not_logged(*, unless: bool) -> Iterator[None]:
    """Keep events out of the log: the chat prints each of them itself."""
    log = logging.getLogger("memory_graph")
    if not unless:
        log.addFilter(_is_not_an_event)
    try:
        yield
    finally:
        log.removeFilter(_is_not_an_event)


def _is_not_an_event(record: logging.LogRecord) -> bool:
    return not hasattr(record, "event")


async def run_slash_command(conversation: Conversation, line: str) -> bool:
    """Run a slash command; return whether the chat continues."""
    name, _, rest = line.partition(" ")
    if name in {"/quit", "/exit"}:
        return False
    command = SLASH_COMMANDS.get(name)
    if command is None:
        conversation.show.line(f"Unknown command {name}. Available commands:")
        command = _help
    try:
        await command(conversation, rest.strip())
    except MemoryGraphError as error:
        conversation.show.line(str(error), "bad")
    return True


async def _help(conversation: Conversation, _: str) -> None:
    conversation.show.line(HELP)


async def _memories(conversation: Conversation, _: str) -> None:
    memory = conversation.memory
    zone = conversation.context.zone
    show_facts(conversation.show, await memory.facts.as_they_were(clock.utc_now()), zone)
    show_episodes(conversation.show, await memory.episodes.recent(50))


async def _why(conversation: Conversation, given: str) -> None:
    if given:
        memory_id, entries = await entries_about(conversation.memory, given)
        show_entries(conversation.show, memory_id, entries, conversation.context.zone)
        return
    for line in conversation.last_decisions or ["no decisions yet"]:
        conversation.show.line(f"  · {line}")


async def _forget(conversation: Conversation, given: str) -> None:
    if not given:
        conversation.show.line("Usage: /forget ID")
        return
    record = await find_memory(conversation.memory, given)
    show_forgotten(conversation.show, await forget(conversation.memory, record, clock.utc_now()))


SlashCommand = Callable[[Conversation, str], Awaitable[None]]
SLASH_COMMANDS: dict[str, SlashCommand] = {
    "/forget": _forget,
    "/help": _help,
    "/memories": _memories,
    "/why": _why,
}

ZONE = ZoneInfo("Europe/Lisbon")


@dataclass(frozen=True)
class Line:
    """A message of one user at one moment."""

    at: datetime
    text: str
    user: str = "ana"


@dataclass(frozen=True)
class Scene:
    """A few lines, and what they demonstrate."""

    question: str
    lines: tuple[Line, ...]


def _at(day: int, clock_time: str) -> datetime:
    hour, minute = map(int, clock_time.split(":"))
    return datetime(2026, 11, day, hour, minute, tzinfo=ZONE)


SCENES = (
    Scene(
        "Which facts are in a message? And in a thank-you?",
        (
            Line(_at(16, "09:00"), "Hi, I am Ana. My cat Luna is 3 and I live in Porto."),
            Line(_at(16, "09:01"), "Thanks!"),
        ),
    ),
    Scene(
        "Does a correction update the fact, and is it an episode?",
        (Line(_at(16, "09:05"), "Luna turned 4 yesterday!"),),
    ),
    Scene(
        "Is a decision worth an episode? And another one two minutes later?",
        (
            Line(
                _at(16, "10:00"),
                "We decided to move the photo archive to Postgres, because SQLite kept locking.",
            ),
            Line(_at(16, "10:02"), "We also decided to name the new server Atlas."),
        ),
    ),
    Scene(
        "Does the same theme, later that day, join the episode it belongs to?",
        (
            Line(
                _at(16, "15:00"),
                "We finished moving the photo archive to Postgres today; SQLite no longer locks.",
            ),
        ),
    ),
    Scene(
        "The next day: is what happened yesterday found by its day?",
        (Line(_at(17, "09:30"), "What did we decide yesterday?"),),
    ),
    Scene(
        "Over days: does an episode name the one it continues?",
        (
            Line(
                _at(17, "16:30"),
                "We fixed the slow searches in the photo archive on Postgres: "
                "an index was missing, it works now.",
            ),
            Line(
                _at(18, "17:00"),
                "We shipped the photo archive on Postgres today, and searches are fast.",
            ),
        ),
    ),
    Scene(
        "Is everything still known to ana, and nothing of it to ben?",
        (
            Line(_at(18, "18:00"), "How old is Luna, and where do I live?"),
            Line(_at(18, "18:01"), "How old is Luna?", user="ben"),
        ),
    ),
)


@COMMANDS.command("demo", of_user=False)
async def run_demo(args: Namespace, show: Presenter) -> None:
    """Play every scene, then show what is remembered."""
    store = InMemoryStore()
    graph = build_graph(store=store, checkpointer=InMemorySaver())
    for scene in SCENES:
        show.line(f"\n{scene.question}", "bold")
        for line in scene.lines:
            await _play(line, _conversation(line, scene.question, graph, store, show))
    show.line("\nWhat is remembered about ana at the end", "bold")
    with clock.frozen(SCENES[-1].lines[-1].at):
        await _summarise(memory_of(Owner("ana"), store), show)


async def _play(line: Line, conversation: Conversation) -> None:
    conversation.show.line(f"{line.at:%a %H:%M} {line.user}> {line.text}")
    with clock.frozen(line.at):
        await conversation.take_turn(line.text)


def _conversation(
    line: Line, thread: str, graph: MemoryGraph, store: BaseStore, show: Presenter
) -> Conversation:
    """Return the conversation of a line; each scene is its own thread."""
    return Conversation(
        graph=graph,
        memory=memory_of(Owner(line.user), store),
        context=Context(user_id=line.user, time_zone=ZONE.key, model=None),
        thread=thread,
        show=show,
    )


async def _summarise(memory: UserMemory, show: Presenter) -> None:
    facts = await memory.facts.as_they_were(clock.utc_now())
    show_facts(show, facts, ZONE)
    show_history(show, [fact for fact in facts if fact.history], ZONE)
    episodes = sorted(await memory.episodes.all(), key=lambda each: each.started_at)
    show_episodes(show, episodes)
    for episode in episodes:
        show.line(f"  {short_id(episode.id)}: {episode.human_line} {episode.summary}")
    if episodes:
        arc = await memory.episodes.chain(episodes[-1].id)
        show.line(f"  Arc: {' → '.join(short_id(each.id) for each in arc)}")
