"""Which commands are there, and what do they take? Light: `--help` loads no memory."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from importlib.metadata import PackageNotFoundError, version

from memory_graph.cli.episodes_arguments import add_episodes, add_maintain
from memory_graph.cli.evals_arguments import add_evals
from memory_graph.cli.imports_arguments import add_migrate, add_notes, add_validate
from memory_graph.cli.memories_arguments import add_memories
from memory_graph.cli.options import Commands, add_command, add_shared, add_user
from memory_graph.cli.patterns_arguments import (
    add_bootstrap,
    add_decisions,
    add_learn,
    add_patterns,
)

DISTRIBUTION = "langgraph-memory-nodes"
EXAMPLES = """examples:
  memory-graph chat --user ana
  memory-graph memories history --user ana
  memory-graph demo"""


def parser() -> ArgumentParser:
    """Return the parser of the whole command line."""
    top = ArgumentParser(
        prog="memory-graph",
        description="Long-term memory for LangGraph agents: talk to it, look into it, change it.",
        epilog=EXAMPLES,
        formatter_class=RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"memory-graph {installed_version()}")
    add_shared(top, top_level=True)
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    _add_chat(commands)
    _add_demo(commands)
    add_memories(commands)
    add_patterns(commands)
    add_decisions(commands)
    add_learn(commands)
    add_bootstrap(commands)
    add_notes(commands)
    add_migrate(commands)
    add_validate(commands)
    add_episodes(commands)
    _add_why(commands)
    _add_doctor(commands)
    _add_reembed(commands)
    add_maintain(commands)
    _add_settings(commands)
    _add_mcp(commands)
    add_evals(commands)
    return top


def installed_version() -> str:
    """Return the version of the installed package."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "(not installed)"


def _add_chat(commands: Commands) -> None:
    chat = add_command(
        commands,
        "chat",
        run="chat:run",
        summary="talk, and see what is remembered and why",
        example="memory-graph chat --user ana --zone Europe/Lisbon",
    )
    add_user(chat)
    chat.add_argument("--thread", default="default", metavar="ID", help="conversation to go on")
    chat.add_argument("--model", metavar="NAME", help="chat model (default: from settings)")


def _add_demo(commands: Commands) -> None:
    add_command(
        commands,
        "demo",
        run="demo:run",
        summary="watch three days of a scripted conversation, offline",
        example="memory-graph demo",
    )


def _add_why(commands: Commands) -> None:
    why = add_command(
        commands,
        "why",
        run="why:run",
        summary="show every decision about a memory",
        example="memory-graph why profile:pet:luna:age --user ana",
    )
    add_user(why)
    why.add_argument("id", metavar="ID", help="id of a memory, or how it begins")


def _add_doctor(commands: Commands) -> None:
    add_command(
        commands,
        "doctor",
        run="doctor:run",
        summary="check the installation: what works, what is degraded, how to mend it",
        example="memory-graph doctor --json",
    )


def _add_reembed(commands: Commands) -> None:
    add_command(
        commands,
        "reembed",
        run="reembed:run",
        summary="make all vectors anew with the configured embedder",
        example="MEMORY_GRAPH_EMBEDDER=wordllama memory-graph reembed",
    )


def _add_settings(commands: Commands) -> None:
    add_command(
        commands,
        "settings",
        run="settings:run",
        summary="list every setting, its meaning and its default, as a .env file",
        example="memory-graph settings",
    )


def _add_mcp(commands: Commands) -> None:
    mcp = add_command(
        commands,
        "mcp",
        run="mcp:run",
        summary="serve the memory tools to MCP clients",
        example="memory-graph mcp --user ana --transport http --port 8765",
    )
    add_user(mcp)
    mcp.add_argument("--transport", choices=("stdio", "http"), default="stdio", help="how")
    mcp.add_argument("--host", default="127.0.0.1", help="address to listen on, for http")
    mcp.add_argument("--port", type=int, default=8765, metavar="N", help="port, for http")
