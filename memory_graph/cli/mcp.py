"""`mcp`: serve the memory tools to MCP clients."""

from argparse import Namespace

from memory_graph.cli.opening import load_settings, open_store
from memory_graph.cli.presenter import Presenter
from memory_graph.errors import ConfigurationError


async def run(args: Namespace, show: Presenter) -> int:
    """Serve until the client leaves, or until interrupted.

    Raises:
        ConfigurationError: If the MCP SDK is not installed.
    """
    try:
        from memory_graph import mcp_server  # noqa: PLC0415 — an extra
    except ImportError as error:
        raise ConfigurationError(
            "MCP needs the extra: pip install 'langgraph-memory-nodes[mcp]'."
        ) from error
    async with open_store(args) as backend:
        if args.transport == "stdio":
            await mcp_server.serve_stdio(backend.store, args.user)
            return 0
        app = mcp_server.http_app(
            backend.store, args.user, tokens=load_settings().users_by_mcp_token, host=args.host
        )
        import uvicorn  # noqa: PLC0415 — comes with the extra

        config = uvicorn.Config(app, host=args.host, port=args.port, log_level="warning")
        show.line(f"Memory tools at http://{args.host}:{args.port}/mcp (Ctrl-C ends it).")
        await uvicorn.Server(config).serve()
    return 0
