"""`inspect`, `mcp` and `turns`: serve memory to a browser or to MCP clients, and list turns."""

import webbrowser
from argparse import Namespace
from socket import create_server, socket
from tempfile import TemporaryDirectory

from memory_graph import clock
from memory_graph.cli.commands import LIMIT, Group, arg, extra, flag
from memory_graph.cli.open import open_memory, open_store, settings_of, zone_of
from memory_graph.cli.output import Presenter
from memory_graph.errors import ConfigurationError
from memory_graph.store.scope import Owner

COMMANDS = Group()
_LOOPBACK = "127.0.0.1"


@COMMANDS.command("turns", LIMIT)
async def run_turns(args: Namespace, show: Presenter) -> None:
    """Print the latest turns: what was said, and what memory did with it."""
    async with open_memory(args) as memory:
        reports = await memory.aturns(limit=args.limit)
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
    columns = ("when", "said", "decided", "recall")
    show.answer(reports, lambda: show.table("Turns", columns, rows))


@COMMANDS.command(
    "inspect",
    arg("--port", type=int, default=0, metavar="N", help="default: a free port"),
    flag("--demo", "show a made-up person's memory"),
    flag("--no-browser", "only print the address"),
)
async def run_inspect(args: Namespace, show: Presenter) -> None:
    """Serve the pages to this machine alone, until interrupted."""
    with extra("inspect", "The inspector"):
        import uvicorn  # noqa: PLC0415 — an extra

        from memory_graph.server.inspector import app, demo, guard  # noqa: PLC0415 — an extra
    # Only a demonstration keeps anything in the folder.
    with TemporaryDirectory(prefix="memory-graph-demo-") as folder:
        if args.demo:
            args.store, args.creates = f"sqlite:{folder}/demo.sqlite", True
            args.user, args.zone = demo.USER, demo.ZONE.key
        async with open_store(args) as backend:
            if args.demo:
                await demo.fill_demo(backend.store, clock.utc_now())
            listening = _listen(args.port)
            port = listening.getsockname()[1]
            door = guard.LocalDoor(Owner(args.user), cookie=f"memory_graph_{port}")
            is_file = bool(args.store) and args.store.startswith("sqlite")
            pages = app.local_app(
                backend.store,
                door,
                zone=args.zone,
                # An address may hold a password, a path does not.
                store_option=("--store", args.store if is_file else "…") if args.store else (),
                setup={"store": backend.name, "vectors": backend.vectors},
            )
            address = f"http://{_LOOPBACK}:{port}/enter?token={door.token}"
            once = "The address works once, in one browser, on this machine. Ctrl-C stops it."
            show.answer({"address": address}, f"The memory of {args.user}: {address}\n{once}")
            if not args.no_browser:
                webbrowser.open(address)
            config = uvicorn.Config(pages, log_level="warning", access_log=False)
            await uvicorn.Server(config).serve(sockets=[listening])


def _listen(port: int) -> socket:
    """Return a socket that only this machine can reach; it already queues connections."""
    try:
        return create_server((_LOOPBACK, port))
    except OSError as error:
        taken = f"Port {port} is in use; leave out --port for a free one."
        raise ConfigurationError(taken) from error


@COMMANDS.command(
    "mcp",
    arg("--project", metavar="NAME", help="project of new episodes and patterns"),
    arg("--transport", choices=("stdio", "http"), default="stdio", help="default: stdio"),
    arg("--host", default="127.0.0.1", help="address to listen on, for http"),
    arg("--port", type=int, default=8765, metavar="N", help="port, for http"),
    creates=True,
)
async def run_mcp(args: Namespace, show: Presenter) -> None:
    """Serve until the client disconnects, or until interrupted."""
    with extra("mcp", "MCP"):
        from memory_graph.server import mcp as mcp_server  # noqa: PLC0415 — an extra
    async with open_store(args) as backend:
        tools = mcp_server.ToolServer(backend.store, lambda: args.user, args.zone, args.project)
        if args.transport == "stdio":
            await mcp_server.serve_stdio(tools)
            return
        app = mcp_server.http_app(tools, settings_of(args).users_by_mcp_token, args.host)
        import uvicorn  # noqa: PLC0415 — comes with the extra

        config = uvicorn.Config(app, host=args.host, port=args.port, log_level="warning")
        show.line(f"Serving memory tools at http://{args.host}:{args.port}/mcp (Ctrl-C to stop).")
        await uvicorn.Server(config).serve()
