"""What all commands share: their options, and the settings, store and memory they work on."""

import asyncio
import logging
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import click
from pydantic import SecretStr

from memory_graph.cli.output import Presenter
from memory_graph.clock import zone_named
from memory_graph.context import Context
from memory_graph.embedding import configured_embedder
from memory_graph.errors import ConfigurationError
from memory_graph.memory import Memory
from memory_graph.settings import Settings, get_settings
from memory_graph.store.backends import reach_store
from memory_graph.store.backends.protocol import OpenedStore
from memory_graph.store.configured import open_configured_store
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of

DISTRIBUTION = "langgraph-memory-nodes"
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
FAILED = 1  # exit code: the command failed, or what was asked for does not exist
USAGE = 2  # exit code: wrong usage or wrong settings

Run = Callable[..., Coroutine[Any, Any, int | None]]
"""What a command does, given a session and its options; it returns an exit code or nothing."""

apply_option = click.option(
    "--apply", is_flag=True, help="make the changes (default: only show them)"
)
limit_option = click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=20,
    metavar="N",
    help="at most N (default: 20)",
)
pause_option = click.option(
    "--pause", type=float, default=0.0, metavar="S", help="seconds between two users"
)


@dataclass(frozen=True)
class Session:
    """One run of a command: what was typed besides its own options."""

    show: Presenter
    store: str | None = None
    log_level: str | None = None
    user: str = "me"
    time_zone: str | None = None

    @property
    def settings(self) -> Settings:
        """The settings, with the store given on the command line."""
        known = get_settings()
        return known.model_copy(update={"store": SecretStr(self.store)}) if self.store else known

    @property
    def zone(self) -> ZoneInfo:
        """The user's time zone."""
        return self.context().zone

    def context(self, model: str | None = None, project: str | None = None) -> Context:
        """Return the context of a run for this user."""
        context = Context(user_id=self.user, time_zone=self.time_zone, project=project)
        return context.model_copy(update={"model": model}) if model else context

    @asynccontextmanager
    async def open_store(
        self, *, creates: bool = False, check_embedder: bool = True
    ) -> AsyncIterator[OpenedStore]:
        """Open the store; where a command does not create one, a mistyped path is refused."""
        if self.store and not creates:
            _refuse_missing(self.store)
        settings = self.settings
        embedder = configured_embedder(settings)
        await reach_store(settings.store.get_secret_value())
        async with open_configured_store(
            settings, embedder, check_embedder=check_embedder
        ) as backend:
            yield backend

    @asynccontextmanager
    async def open_user(self, *, creates: bool = False) -> AsyncIterator[UserMemory]:
        """Open the records of the user."""
        async with self.open_store(creates=creates) as backend:
            yield memory_of(Owner(self.user), backend.store)

    @asynccontextmanager
    async def open_memory(self, *, creates: bool = False) -> AsyncIterator[Memory]:
        """Open the memory of the user; any beginning of an id is enough."""
        async with self.open_store(creates=creates) as backend:
            yield Memory(backend.store, user_id=self.user, context=self.context(), shortest_id=1)


def _refuse_missing(address: str) -> None:
    kind, _, path = address.partition(":")
    if kind == "sqlite" and path and not Path(path.removeprefix("//")).expanduser().exists():
        raise ConfigurationError(
            f"There is no store at {path!r}, and none was created. Check `--store`; "
            "`memory-graph chat` creates a new one."
        )


def shared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that may stand before or after the name of a command."""
    stores = "sqlite, sqlite:PATH, memory or postgresql://… (default: from settings)"
    levels = f"log to stderr: {', '.join(LEVELS)}"
    for option in (
        click.option("--log-level", type=click.Choice(LEVELS), metavar="LEVEL", help=levels),
        click.option("--json", "as_json", is_flag=True, help="print JSON"),
        click.option("--store", metavar="ADDRESS", help=stores),
    ):
        command = option(command)
    return command


def for_anybody(run: Run) -> Callable[..., int]:
    """Make a coroutine what a command calls, with a session that is about no user."""

    @wraps(run)
    def command(**given: Any) -> int:  # noqa: ANN401 — the options of any command
        return _run(run, given)

    return shared_options(command)


def for_user(run: Run) -> Callable[..., int]:
    """Make a coroutine what a command calls, with a session that is about one user."""
    command = for_anybody(run)
    zones = click.option(
        "--zone", "time_zone", callback=_zone, metavar="IANA", help="the user's time zone"
    )
    users = click.option(
        "--user", default="me", callback=_user, metavar="ID", help="user id (default: me)"
    )
    return users(zones(command))


def _run(run: Run, given: dict[str, Any]) -> int:
    """Run a command with its session, which takes its own options out of those given."""
    before = click.get_current_context().find_root().params
    names = ("store", "log_level", "as_json", "user", "time_zone")
    typed = {name: given.pop(name) for name in names if name in given}
    typed |= {name: before[name] for name in ("store", "log_level", "as_json") if before.get(name)}
    session = Session(Presenter(as_json=typed.pop("as_json")), **typed)
    logging.basicConfig(
        level=session.log_level or get_settings().log_level,
        format="%(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )
    try:
        return asyncio.run(run(session, **given)) or 0
    except BrokenPipeError:
        # The reader left (`| head`); Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _user(context: click.Context, option: click.Parameter, name: str) -> str:
    if not name.strip():
        raise click.BadParameter("a user id must not be empty")
    return name


def _zone(context: click.Context, option: click.Parameter, name: str | None) -> str | None:
    try:
        return zone_named(name).key if name else None
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@contextmanager
def extra(name: str, what: str) -> Iterator[None]:
    """If the import of an extra fails, say how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("memory_graph"):
            raise
        advice = f"{what} needs an extra: pip install '{DISTRIBUTION}[{name}]'."
        raise ConfigurationError(advice) from error


def read_input(file: str) -> bytes:
    """Return the bytes of a file, or of standard input for `-`."""
    if file != "-":
        return Path(file).read_bytes()
    raw = getattr(sys.stdin, "buffer", None)
    return bytes(raw.read()) if raw else sys.stdin.read().encode("utf-8", "surrogateescape")
