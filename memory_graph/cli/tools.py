"""`tools`: the tools that agents call, from the command line."""

import asyncio
import json
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from langchain_core.tools import BaseTool
from pydantic import BaseModel

from memory_graph.cli.open import context_of, open_store
from memory_graph.cli.output import Presenter
from memory_graph.cli.parser import FAILED, Group, add_action, add_actions
from memory_graph.errors import ConfigurationError
from memory_graph.tools import memory_tools
from memory_graph.tools._calls import call_tool, only_reads


def define_tools(command: ArgumentParser) -> None:
    """Add the actions of `tools`."""
    actions = add_actions(command)
    add_action(actions, "list", run_list, "list the tools and their arguments")
    called = add_action(actions, "call", run_call, "call one tool", "get_antipatterns {}")
    called.add_argument("name", metavar="NAME", help="name of the tool, as `tools list` shows it")
    called.add_argument(
        "arguments",
        nargs="?",
        default="{}",
        metavar="JSON",
        help="its arguments as JSON; `@FILE` reads a file, `-` reads stdin (default: none)",
    )
    called.add_argument("--project", metavar="NAME", help="the current project")


async def run_list(args: Namespace, show: Presenter) -> int:
    """Print every tool with the arguments it takes."""
    tools = memory_tools("all")
    if show.as_json:
        show.data([{"name": each.name, "arguments": _schema(each)} for each in tools])
        return 0
    rows = [(each.name, each.description, ", ".join(each.args)) for each in tools]
    show.table("Tools", ("name", "what it does", "arguments"), rows)
    return 0


async def run_call(args: Namespace, show: Presenter) -> int:
    """Call a tool and print its answer; fail if it failed."""
    tool = next((each for each in memory_tools("all") if each.name == args.name), None)
    if tool is None:
        raise ConfigurationError(f"There is no tool {args.name!r}; `tools list` shows all.")
    given = _arguments(await asyncio.to_thread(_text, args.arguments))
    context = context_of(args).model_copy(update={"project": args.project})
    args.creates = not only_reads(tool.name)
    async with open_store(args) as backend:
        answer = await call_tool(tool, given, backend.store, context)
    if show.as_json:
        show.data({"tool": tool.name, "status": answer.status, "answer": answer.content})
    else:
        show.line(str(answer.content))
    return FAILED if answer.status == "error" else 0


def _schema(tool: BaseTool) -> object:
    schema = tool.tool_call_schema
    assert isinstance(schema, type)
    assert issubclass(schema, BaseModel)
    return schema.model_json_schema()


def _text(given: str) -> str:
    if given == "-":
        return sys.stdin.read()
    if not given.startswith("@"):
        return given
    try:
        return Path(given[1:]).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{given[1:]} cannot be read: {error}") from error


def _arguments(text: str) -> dict[str, object]:
    try:
        given = json.loads(text)
    except ValueError as error:
        raise ConfigurationError(f"The arguments are not JSON: {error}") from error
    if not isinstance(given, dict):
        raise ConfigurationError('The arguments are no JSON object, such as {"topic": "the leak"}.')
    return {str(name): value for name, value in given.items()}


COMMANDS: Group = {"tools": define_tools}
