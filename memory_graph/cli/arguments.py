"""Which commands are there, and what do they take? Light: `--help` loads no memory."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from importlib.metadata import PackageNotFoundError, version

from memory_graph.cli.memories_arguments import add_memories
from memory_graph.cli.options import Commands, add_command, add_shared, add_user

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
    add_memories(commands)
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
