"""`mcp`: serve the memory tools to MCP clients."""

from argparse import ArgumentParser, Namespace

from memory_graph.cli.open import load_settings, open_store
from memory_graph.cli.output import Presenter
from memory_graph.cli.parser import DISTRIBUTION, Group, add_user, creates_a_store, set_run
from memory_graph.errors import ConfigurationError


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


COMMANDS: Group = {"mcp": define_mcp}
