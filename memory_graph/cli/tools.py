"""`tools`: call the tools of agents from the command line."""

import asyncio
import json
from argparse import Namespace

from memory_graph.cli.commands import FAILED, Group, arg
from memory_graph.cli.open import context_of, open_store, read_input
from memory_graph.cli.output import Presenter
from memory_graph.errors import ConfigurationError
from memory_graph.tools import memory_tools
from memory_graph.tools._calls import call_tool, only_reads, schema_of

COMMANDS = Group()


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
        nargs="?",
        default="{}",
        metavar="JSON",
        help="its arguments as JSON; `@FILE` reads a file, `-` reads stdin (default: none)",
    ),
    arg("--project", metavar="NAME", help="the current project"),
    example="get_antipatterns {}",
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


def _arguments(text: str) -> dict[str, object]:
    try:
        if text.startswith(("@", "-")):
            text = read_input(text.removeprefix("@")).decode()
        given = json.loads(text)
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"The arguments cannot be read as JSON: {error}") from error
    if not isinstance(given, dict):
        raise ConfigurationError('The arguments must be a JSON object: {"topic": "the leak"}.')
    return given
