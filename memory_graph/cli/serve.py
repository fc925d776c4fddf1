"""`inspect`, `mcp` and `turns`: memory in a browser, for MCP clients, and turn by turn."""

import webbrowser
from argparse import Namespace
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from socket import AF_INET, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket
from tempfile import TemporaryDirectory

from memory_graph import clock
from memory_graph.cli.commands import Group, arg, extra, flag
from memory_graph.cli.open import load_settings, open_memory, open_store, zone_of
from memory_graph.cli.output import Presenter
from memory_graph.errors import ConfigurationError
from memory_graph.store.backends.protocol import OpenedStore
from memory_graph.store.scope import Owner

COMMANDS = Group()
_LOOPBACK = "127.0.0.1"


@COMMANDS.command(
    "turns",
    "--user ana",
    arg("--limit", type=int, default=20, metavar="N", help="at most N turns"),
)
async def run_turns(args: Namespace, show: Presenter) -> None:
    """Print the latest turns: what was said, and what memory did with it."""
    async with open_memory(args) as memory:
        reports = await memory.aturns(limit=args.limit)
    if show.as_json:
        show.data(reports)
        return
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


@COMMANDS.command(
    "inspect",
    "--user ana",
    arg("--port", type=int, default=0, metavar="N", help="default: a free one"),
    flag("--demo", "look at a made-up person's memory"),
    flag("--no-browser", "only print the address"),
)
async def run_inspect(args: Namespace, show: Presenter) -> None:
    """Serve the pages to this machine alone, until interrupted."""
    with extra("inspect", "The inspector"):
        import uvicorn  # noqa: PLC0415 — an extra

        from memory_graph.server.inspector import app, demo, guard  # noqa: PLC0415 — an extra
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


@COMMANDS.command(
    "mcp",
    "--user ana --transport http",
    arg("--project", metavar="NAME", help="project of what is remembered"),
    arg("--transport", choices=("stdio", "http"), default="stdio", help="default: stdio"),
    arg("--host", default="127.0.0.1", help="address to listen on, for http"),
    arg("--port", type=int, default=8765, metavar="N", help="port, for http"),
    creates=True,
)
async def run_mcp(args: Namespace, show: Presenter) -> None:
    """Serve until the client disconnects, or until interrupted."""
    with extra("mcp", "MCP"):
        from memory_graph.server import mcp as mcp_server  # noqa: PLC0415 — an extra
    place = mcp_server.Place(time_zone=args.zone, project=args.project)
    async with open_store(args) as backend:
        if args.transport == "stdio":
            await mcp_server.serve_stdio(backend.store, args.user, place)
            return
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
