"""`chat`: a conversation in the terminal, or one read from a pipe."""

import logging
import signal
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from memory_graph.cli.conversation import Conversation
from memory_graph.cli.opening import context_of, open_store
from memory_graph.cli.presenter import Presenter
from memory_graph.cli.slash import run_slash_command
from memory_graph.graph import build_graph
from memory_graph.nodes.background import drain
from memory_graph.storage.backend import Backend
from memory_graph.storage.scope import Owner, memory_of

_HISTORY = Path.home() / ".memory-graph" / "chat-history"


async def run(args: Namespace, show: Presenter) -> int:
    """Answer one line after the other until there are no more."""
    async with open_store(args) as backend:
        conversation = _start(args, backend, show)
        if show.is_interactive:
            _greet(conversation, backend)
        read_line = _prompt(show) if show.is_interactive else _pipe()
        with _events_out_of_the_log(unless=bool(args.log_level)):
            await _talk(conversation, read_line)
            await drain()
    return 0


async def _talk(conversation: Conversation, read_line: Callable[[], str | None]) -> None:
    while (line := read_line()) is not None:
        text = line.strip()
        if text.startswith("/"):
            if not await run_slash_command(conversation, text):
                return
        elif text:
            await conversation.take_turn(text)


def _start(args: Namespace, backend: Backend, show: Presenter) -> Conversation:
    return Conversation(
        graph=build_graph(store=backend.store, checkpointer=backend.checkpointer),
        memory=memory_of(Owner(args.user), backend.store),
        context=context_of(args),
        thread=args.thread,
        show=show,
    )


def _greet(conversation: Conversation, backend: Backend) -> None:
    model = conversation.context.model or "no model: offline, by rules"
    user = conversation.memory.owner.user_id
    conversation.show.line(f"{user} · {model} · {backend.name}", "dim")
    conversation.show.line("/help lists commands; Ctrl-D leaves.", "dim")


def _pipe() -> Callable[[], str | None]:
    return lambda: sys.stdin.readline() or None


def _prompt(show: Presenter) -> Callable[[], str | None]:
    """Return a reader of lines typed at a prompt, with history; Ctrl-C and Ctrl-D end it."""
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
def _events_out_of_the_log(*, unless: bool) -> Iterator[None]:
    """Keep events out of the log: the conversation shows each as a line of its own."""
    log = logging.getLogger("memory_graph")
    if not unless:
        log.addFilter(_is_no_event)
    try:
        yield
    finally:
        log.removeFilter(_is_no_event)


def _is_no_event(record: logging.LogRecord) -> bool:
    return not hasattr(record, "event")
