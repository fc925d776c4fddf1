"""`inspect`, `mcp` and `turns`: memory in a browser, for MCP clients, and turn by turn."""

import webbrowser
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from socket import AF_INET, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket
from tempfile import TemporaryDirectory

from pydantic_core import to_jsonable_python

from memory_graph import clock
from memory_graph.cli.open import load_settings, open_store, zone_of
from memory_graph.cli.output import Presenter
from memory_graph.cli.parser import DISTRIBUTION, Group, add_user, creates_a_store, set_run
from memory_graph.errors import ConfigurationError
from memory_graph.memory import Memory
from memory_graph.store.backends.protocol import OpenedStore
from memory_graph.store.scope import Owner

_LOOPBACK = "127.0.0.1"


def define_inspect(command: ArgumentParser) -> None:
    """Add the arguments of `inspect`."""
    set_run(command, run_inspect)
    add_user(command)
    command.add_argument("--port", type=int, default=0, metavar="N", help="default: a free one")
    command.add_argument("--demo", action="store_true", help="look at a made-up person's memory")
    command.add_argument("--no-browser", action="store_true", help="only print the address")


def define_turns(command: ArgumentParser) -> None:
    """Add the arguments of `turns`."""
    set_run(command, run_turns)
    add_user(command)
    command.add_argument("--limit", type=int, default=20, metavar="N", help="at most N turns")


async def run_turns(args: Namespace, show: Presenter) -> int:
    """Print the latest turns: what was said, and what memory did with it."""
    async with open_store(args) as backend:
        memory = Memory(backend.store, user_id=args.user)
        reports = await memory.aturns(limit=args.limit)
    if show.as_json:
        show.data(to_jsonable_python(reports))
        return 0
    zone = zone_of(args)
    rows = [
        (
            f"{each.at.astimezone(zone):%Y-%m-%d %H:%M}",
            each.said.text if each.said else "–",
            ", ".join(f"{d.kind} {d.action}: {d.reason}" for d in each.decisions),
            each.recall.found if each.recall else "–",
        )
        for each in reports
    ]
    show.table("Turns", ("when", "said", "decided", "recall"), rows)
    return 0


async def run_inspect(args: Namespace, show: Presenter) -> int:
    """Serve the pages to this machine alone, until interrupted.

    Raises:
        ConfigurationError: If the extra is not installed.
    """
    try:
        import uvicorn  # noqa: PLC0415 — an extra

        from memory_graph.server.inspector import app, demo, guard  # noqa: PLC0415 — an extra
    except ImportError as error:
        raise ConfigurationError(
            f"The inspector needs an extra: pip install '{DISTRIBUTION}[inspect]'."
        ) from error
    async with _opened(args) as backend:
        if args.demo:
            args.user, args.zone = demo.USER, demo.ZONE.key
            await demo.fill_demo(backend.store, clock.utc_now())
        listening = _listen(args.port)
        port = listening.getsockname()[1]
        door = guard.LocalDoor(Owner(args.user), cookie=f"memory_graph_{port}")
        pages = app.local_app(
            backend.store,
            door,
            zone=args.zone,
            store_option=_store_option(args),
            setup={"store": backend.name, "vectors": backend.vectors},
        )
        _announce(args, show, f"http://{_LOOPBACK}:{port}/enter?token={door.token}")
        config = uvicorn.Config(pages, log_level="warning", access_log=False)
        await uvicorn.Server(config).serve(sockets=[listening])
    return 0


@asynccontextmanager
async def _opened(args: Namespace) -> AsyncIterator[OpenedStore]:
    """Open the store to look at; for a demonstration one that is gone afterwards."""
    if not args.demo:
        async with open_store(args) as backend:
            yield backend
        return
    with TemporaryDirectory(prefix="memory-graph-demo-") as folder:
        args.store = f"sqlite:{Path(folder) / 'demo.sqlite'}"
        args.creates = True
        async with open_store(args) as backend:
            yield backend


def _listen(port: int) -> socket:
    """Return a socket that only this machine reaches."""
    listening = socket(AF_INET, SOCK_STREAM)
    listening.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
    try:
        listening.bind((_LOOPBACK, port))
        listening.listen()  # a browser that is quicker than the server waits
    except OSError as error:
        listening.close()
        raise ConfigurationError(
            f"Port {port} is in use; leave out --port for a free one."
        ) from error
    return listening


def _store_option(args: Namespace) -> tuple[str, ...]:
    """Return what commands need to find the same store; an address may hold a password."""
    if not args.store:
        return ()
    is_file = args.store.startswith("sqlite")
    return ("--store", args.store if is_file else "…")


def _announce(args: Namespace, show: Presenter, address: str) -> None:
    if show.as_json:
        show.data({"address": address})
    else:
        show.line(f"The memory of {args.user}: {address}")
        show.line(
            "The address works once, in one browser, on this machine. Ctrl-C stops it.", "dim"
        )
    if not args.no_browser:
        webbrowser.open(address)


def define_mcp(command: ArgumentParser) -> None:
    """Add the arguments of `mcp`."""
    set_run(command, run_mcp)
    creates_a_store(command)
    add_user(command)
    command.add_argument("--project", metavar="NAME", help="project of what is remembered")
    command.add_argument(
        "--transport", choices=("stdio", "http"), default="stdio", help="default: stdio"
    )
    command.add_argument("--host", default="127.0.0.1", help="address to listen on, for http")
    command.add_argument("--port", type=int, default=8765, metavar="N", help="port, for http")


async def run_mcp(args: Namespace, show: Presenter) -> int:
    """Serve until the client disconnects, or until interrupted.

    Raises:
        ConfigurationError: If the MCP SDK is not installed.
    """
    try:
        from memory_graph.server import mcp as mcp_server  # noqa: PLC0415 — an extra
    except ImportError as error:
        raise ConfigurationError(
            f"MCP needs an extra: pip install '{DISTRIBUTION}[mcp]'."
        ) from error
    place = mcp_server.Place(time_zone=args.zone, project=args.project)
    async with open_store(args) as backend:
        if args.transport == "stdio":
            await mcp_server.serve_stdio(backend.store, args.user, place)
            return 0
        app = mcp_server.http_app(
            backend.store,
            args.user,
            place,
            tokens=load_settings().users_by_mcp_token,
            host=args.host,
        )
        import uvicorn  # noqa: PLC0415 — comes with the extra

        config = uvicorn.Config(app, host=args.host, port=args.port, log_level="warning")
        show.line(f"Serving memory tools at http://{args.host}:{args.port}/mcp (Ctrl-C to stop).")
        await uvicorn.Server(config).serve()
    return 0


COMMANDS: Group = {"inspect": define_inspect, "turns": define_turns, "mcp": define_mcp}
