"""`inspect`, `mcp` and `tools`: serve memory to a browser or to MCP clients, and call tools."""

import asyncio
import json
import webbrowser
from argparse import Namespace
from collections.abc import Sequence
from errno import EADDRINUSE
from socket import AF_INET, AF_INET6, create_server, socket
from tempfile import TemporaryDirectory

from memory_graph import clock
from memory_graph.cli.commands import FAILED, PORT, Group, arg, extra, flag
from memory_graph.cli.open import context_of, open_store, read_input, settings_of
from memory_graph.cli.output import Presenter, first_line
from memory_graph.errors import ConfigurationError
from memory_graph.store.owner import Owner
from memory_graph.tools import memory_tools, tools_named
from memory_graph.tools._calls import call_tool, only_reads, schema_of

COMMANDS = Group()
_LOOPBACK = "127.0.0.1"


@COMMANDS.command(
    "inspect",
    arg("--port", type=PORT, default=0, metavar="N", help="default: a free port"),
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
            listening = _listen(_LOOPBACK, args.port)
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


def _listen(host: str, port: int) -> socket:
    """Return a socket that listens on an address; it already queues connections."""
    try:
        return create_server((host, port), family=AF_INET6 if ":" in host else AF_INET)
    except OSError as error:
        if error.errno == EADDRINUSE:
            raise ConfigurationError(f"Port {port} is in use; choose another --port.") from error
        reason = f"{host}:{port} cannot be listened on: {error.strerror}."
        raise ConfigurationError(reason) from error


@COMMANDS.command(
    "mcp",
    arg("--project", metavar="NAME", help="project of new episodes and patterns"),
    arg(
        "--tools",
        metavar="SETS",
        default="assistant",
        help="sets of tools, such as assistant,episodes; all (default: assistant)",
    ),
    arg("--transport", choices=("stdio", "http"), default="stdio", help="default: stdio"),
    arg("--host", default=_LOOPBACK, help="address to listen on, for http"),
    arg("--port", type=PORT, default=8765, metavar="N", help="port, for http"),
    creates=True,
)
async def run_mcp(args: Namespace, show: Presenter) -> None:
    """Serve until the client disconnects, or until interrupted."""
    with extra("mcp", "MCP"):
        from memory_graph.server import mcp as mcp_server  # noqa: PLC0415 — an extra
    async with open_store(args) as backend:
        tools = mcp_server.ToolServer(
            backend.store, lambda: args.user, args.zone, args.project, tools_named(args.tools)
        )
        if args.transport == "stdio":
            await mcp_server.serve_stdio(tools)
            return
        import uvicorn  # noqa: PLC0415 — comes with the extra

        listening = _listen(args.host, args.port)
        app = mcp_server.http_app(tools, settings_of(args).users_by_mcp_token, args.host)
        address = f"http://{mcp_server.in_address(args.host)}:{listening.getsockname()[1]}/mcp"
        show.line(f"Serving memory tools at {address} (Ctrl-C to stop).")
        config = uvicorn.Config(app, log_level="warning")
        await uvicorn.Server(config).serve(sockets=[listening])


@COMMANDS.command("tools list")
async def run_list(args: Namespace, show: Presenter) -> None:
    """List the tools and the arguments they take."""
    tools = memory_tools("all")
    value = [{"name": each.name, "arguments": schema_of(each)} for each in tools]
    rows = [(each.name, each.description, ", ".join(each.args)) for each in tools]
    show.answer(value, lambda: show.table("Tools", ("name", "what it does", "arguments"), rows))


@COMMANDS.command(
    "tools call",
    arg("name", metavar="NAME", help="name of the tool, as `tools list` shows it"),
    arg(
        "arguments",
        nargs="*",
        metavar="ARGUMENT",
        help="NAME=VALUE; or all of them as JSON: an object, `@FILE`, or `-` for stdin",
    ),
    arg("--project", metavar="NAME", help="the current project"),
    example="replay_topic topic=leak",
)
async def run_call(args: Namespace, show: Presenter) -> int:
    """Call one tool."""
    tool = next((each for each in memory_tools("all") if each.name == args.name), None)
    if tool is None:
        raise ConfigurationError(f"There is no tool {args.name!r}; `tools list` shows all.")
    given = await asyncio.to_thread(_arguments, args.arguments)
    context = context_of(args).model_copy(update={"project": args.project})
    args.creates = not only_reads(tool.name)
    async with open_store(args) as backend:
        answer = await call_tool(tool, given, backend.store, context)
    value = {"tool": tool.name, "status": answer.status, "answer": answer.content}
    return show.answer(value, str(answer.content), FAILED if answer.status == "error" else 0)


def _arguments(given: Sequence[str]) -> dict[str, object]:
    """Return arguments by name; a value that looks like a list or an object is JSON."""
    text = given[0] if len(given) == 1 else ""
    try:
        if text.startswith(("@", "-", "{")):
            if not text.startswith("{"):
                text = read_input(text.removeprefix("@")).decode()
            return {**json.loads(text)}
        pairs = [each.partition("=") for each in given]
        if all(equals for _, equals, _ in pairs):
            return {n: json.loads(v) if v.startswith(("[", "{")) else v for n, _, v in pairs}
    except OSError as error:
        raise ConfigurationError(first_line(error)) from error
    except (ValueError, TypeError) as error:
        raise ConfigurationError(f"The arguments cannot be read as JSON: {error}") from error
    raise ConfigurationError("Write arguments as NAME=VALUE, or all of them as a JSON object.")
