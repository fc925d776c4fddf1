"""An MCP client that starts `memory-graph mcp` and uses its tools.

Run: python examples/mcp_client.py
"""

import asyncio
import sys
from tempfile import TemporaryDirectory

from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.types import TextContent

SERVE = "import sys; from memory_graph.cli import main; sys.exit(main())"


async def main(folder: str) -> None:
    """Record what worked, and look it up again."""
    server = StdioServerParameters(
        command=sys.executable,  # or simply: command="memory-graph", args=["mcp", "--user", "ana"]
        args=[
            "-c",
            SERVE,
            "mcp",
            "--user",
            "ana",
            "--tools",
            "patterns",
            "--store",
            f"sqlite:{folder}/memory.sqlite",
        ],
    )
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = await session.list_tools()
        print("tools:", ", ".join(sorted(tool.name for tool in tools.tools)))
        tried = {"name": "retry-once", "trigger": "the upstream call times out", "action": "retry"}
        await session.call_tool("add_pattern", tried)
        found = await session.call_tool(
            "query_patterns", {"trigger": "the upstream call times out"}
        )
        print(*(part.text for part in found.content if isinstance(part, TextContent)))


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        asyncio.run(main(folder))
