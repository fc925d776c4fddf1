"""Open the settings, the store and one user's memory for a command."""

import asyncio
import sys
from argparse import Namespace
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import SecretStr

from memory_graph.cli.commands import arg
from memory_graph.cli.output import Presenter
from memory_graph.context import Context
from memory_graph.embedding import configured_embedder
from memory_graph.errors import ConfigurationError
from memory_graph.memory import Memory
from memory_graph.settings import Settings, get_settings
from memory_graph.store.backends.protocol import OpenedStore
from memory_graph.store.configured import open_configured_store
from memory_graph.store.gateway import open_gateway
from memory_graph.store.labels import labels_of
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of, memory_under

PAUSE = arg("--pause", type=float, default=0.0, metavar="S", help="seconds between two users")
EVERYBODY = arg(
    "--all-users", metavar="DIR", help="one file for each user; existing files are kept"
)


def settings_of(args: Namespace) -> Settings:
    """Return the settings, with the store given on the command line."""
    settings = get_settings()
    return settings.model_copy(update={"store": SecretStr(args.store)}) if args.store else settings


@asynccontextmanager
async def open_store(args: Namespace, *, check_embedder: bool = True) -> AsyncIterator[OpenedStore]:
    """Open the store that a command works on."""
    settings = settings_of(args)
    if args.store and not getattr(args, "creates", False):
        _refuse_missing(args.store)
    embedder = configured_embedder(settings)
    async with open_configured_store(settings, embedder, check_embedder=check_embedder) as backend:
        yield backend


def _refuse_missing(address: str) -> None:
    """Refuse a mistyped path, so that a command that only reads creates no empty file."""
    kind, _, path = address.partition(":")
    if kind == "sqlite" and path and not Path(path.removeprefix("//")).expanduser().exists():
        raise ConfigurationError(
            f"There is no store at {path!r}, and none was created. Check `--store`; "
            "`memory-graph chat` creates a new one."
        )


@asynccontextmanager
async def open_user(args: Namespace) -> AsyncIterator[UserMemory]:
    """Open the memory of the user that a command is about."""
    async with open_store(args) as backend:
        yield memory_of(Owner(args.user), backend.store)


@asynccontextmanager
async def open_memory(args: Namespace) -> AsyncIterator[Memory]:
    """Open the memory that a command is about; any beginning of an id is enough."""
    async with open_store(args) as backend:
        yield Memory(backend.store, user_id=args.user, context=context_of(args), shortest_id=1)


async def tell_of_everybody(
    args: Namespace,
    show: Presenter,
    tell: Callable[[UserMemory], Awaitable[str]],
    is_done: Callable[[Path], bool] = Path.exists,
) -> dict[str, Any]:
    """Write a file per user of what there is to tell; what was broken off is taken up again.

    Users whose file `is_done` are skipped.
    """
    folder, written = Path(args.all_users), 0
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    async with open_store(args) as backend:
        labels = await labels_of(open_gateway(backend.store, settings_of(args)))
        with show.progress("Users") as update:
            for number, label in enumerate(labels, 1):
                file = folder / f"{label}.jsonl"
                if not await asyncio.to_thread(is_done, file):
                    told = await tell(memory_under(label, backend.store))
                    await asyncio.to_thread(_write_whole, file, told)
                    await asyncio.sleep(args.pause)
                    written += 1
                update(number, len(labels))
    skipped = len(labels) - written
    return {"folder": args.all_users, "users": len(labels), "written": written, "skipped": skipped}


def _write_whole(file: Path, text: str) -> None:
    """Write a file that is there only when all of it is."""
    part = file.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(file)


def context_of(args: Namespace) -> Context:
    """Return the run context that the command line describes."""
    given = {"model": args.model} if getattr(args, "model", None) else {}
    return Context(user_id=args.user, time_zone=args.zone, **given)


def zone_of(args: Namespace) -> ZoneInfo:
    """Return the user's time zone."""
    return context_of(args).zone


def read_input(file: str) -> bytes:
    """Return the bytes of a file, or of standard input for `-`."""
    if file != "-":
        return Path(file).read_bytes()
    raw = getattr(sys.stdin, "buffer", None)
    return bytes(raw.read()) if raw else sys.stdin.read().encode("utf-8", "surrogateescape")
