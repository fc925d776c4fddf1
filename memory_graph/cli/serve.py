"""`inspect`, `mcp` and `tools`: serve memory to a browser or to MCP clients, and call tools."""

import asyncio
import json
import webbrowser
from collections.abc import Sequence
from dataclasses import replace
from errno import EADDRINUSE
from socket import AF_INET, AF_INET6, create_server, socket
from tempfile import TemporaryDirectory

import click

from memory_graph import clock
from memory_graph.cli.output import first_line
from memory_graph.cli.session import FAILED, Session, extra, for_user, read_input
from memory_graph.errors import ConfigurationError
from memory_graph.store.owner import Owner
from memory_graph.tools import memory_tools, tools_named
from memory_graph.tools._calls import call_tool, only_reads, schema_of

_LOOPBACK = "127.0.0.1"
_PORT = click.IntRange(0, 65535)


@click.command(epilog="example: memory-graph inspect --user ana")
@click.option("--port", type=_PORT, default=0, metavar="N", help="default: a free port")
@click.option("--demo", "made_up", is_flag=True, help="show a made-up person's memory")
@click.option("--no-browser", is_flag=True, help="only print the address")
@for_user
async def inspect(session: Session, port: int, made_up: bool, no_browser: bool) -> None:
    """See, try and correct memory in a browser.

    The pages are served to this machine alone, until interrupted.
    """
    with extra("inspect", "The inspector"):
        import uvicorn  # noqa: PLC0415 — an extra

        from memory_graph.server.inspector import app, demo, guard  # noqa: PLC0415 — an extra
    # Only a demonstration keeps anything in the folder.
    with TemporaryDirectory(prefix="memory-graph-demo-") as folder:
        if made_up:
            store = f"sqlite:{folder}/demo.sqlite"
            session = replace(session, store=store, user=demo.USER, time_zone=demo.ZONE.key)
        async with session.open_store(creates=made_up) as backend:
            if made_up:
                await demo.fill_demo(backend.store, clock.utc_now())
            listening = _listen(_LOOPBACK, port)
            port = listening.getsockname()[1]
            door = guard.LocalDoor(Owner(session.user), cookie=f"memory_graph_{port}")
            is_file = (session.store or "").startswith("sqlite")
            pages = app.local_app(
                backend.store,
                door,
                zone=session.time_zone,
                # An address may hold a password, a path does not.
                store_option=("--store", session.store if is_file else "…")
                if session.store
                else (),
                setup={"store": backend.name, "vectors": backend.vectors},
            )
            address = f"http://{_LOOPBACK}:{port}/enter?token={door.token}"
            once = "The address works once, in one browser, on this machine. Ctrl-C stops it."
            session.show.answer(
                {"address": address}, f"The memory of {session.user}: {address}\n{once}"
            )
            if not no_browser:
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


@click.command(epilog="example: memory-graph mcp --user ana --transport http")
@click.option("--project", metavar="NAME", help="project of new episodes and patterns")
@click.option(
    "--tools",
    "sets",
    metavar="SETS",
    default="assistant",
    help="sets of tools, such as assistant,episodes; all (default: assistant)",
)
@click.option(
    "--transport", type=click.Choice(["stdio", "http"]), default="stdio", help="default: stdio"
)
@click.option("--host", default=_LOOPBACK, help="address to listen on, for http")
@click.option("--port", type=_PORT, default=8765, metavar="N", help="port, for http")
@for_user
async def mcp(  # noqa: PLR0913 — its options
    session: Session, *, project: str | None, sets: str, transport: str, host: str, port: int
) -> None:
    """Serve the memory tools over MCP.

    Until the client disconnects, or until interrupted.
    """
    with extra("mcp", "MCP"):
        from memory_graph.server import mcp as mcp_server  # noqa: PLC0415 — an extra
    async with session.open_store(creates=True) as backend:
        tools = mcp_server.ToolServer(
            backend.store, lambda: session.user, session.time_zone, project, tools_named(sets)
        )
        if transport == "stdio":
            await mcp_server.serve_stdio(tools)
            return
        import uvicorn  # noqa: PLC0415 — comes with the extra

        listening = _listen(host, port)
        app = mcp_server.http_app(tools, session.settings.users_by_mcp_token, host)
        address = f"http://{mcp_server.in_address(host)}:{listening.getsockname()[1]}/mcp"
        session.show.line(f"Serving memory tools at {address} (Ctrl-C to stop).")
        config = uvicorn.Config(app, log_level="warning")
        await uvicorn.Server(config).serve(sockets=[listening])


@click.group(epilog="example: memory-graph tools call get_antipatterns")
def tools() -> None:
    """Call a tool as an agent would."""


@tools.command("list", epilog="example: memory-graph tools list --json")
@for_user
async def list_tools(session: Session) -> None:
    """List the tools and the arguments they take."""
    show, known = session.show, memory_tools("all")
    value = [{"name": each.name, "arguments": schema_of(each)} for each in known]
    rows = [(each.name, each.description, ", ".join(each.args)) for each in known]
    show.answer(value, lambda: show.table("Tools", ("name", "what it does", "arguments"), rows))


@tools.command(epilog="example: memory-graph tools call replay_topic topic=leak")
@click.argument("name")
@click.argument("arguments", nargs=-1)
@click.option("--project", metavar="NAME", help="the current project")
@for_user
async def call(session: Session, name: str, arguments: Sequence[str], project: str | None) -> int:
    """Call one tool, which `tools list` names.

    Arguments are NAME=VALUE; or all of them as JSON: an object, `@FILE`, or `-` for stdin.
    """
    tool = next((each for each in memory_tools("all") if each.name == name), None)
    if tool is None:
        raise ConfigurationError(f"There is no tool {name!r}; `tools list` shows all.")
    given = await asyncio.to_thread(_arguments, arguments)
    async with session.open_store(creates=not only_reads(tool.name)) as backend:
        answer = await call_tool(tool, given, backend.store, session.context(project=project))
    value = {"tool": tool.name, "status": answer.status, "answer": answer.content}
    return session.show.answer(
        value, str(answer.content), FAILED if answer.status == "error" else 0
    )


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
