"""What did the tools change, what failed, and was the failure overcome?"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory_graph.policy.exchange import Said
from memory_graph.policy.sentences import word_set

_TOKEN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")

_MEMORY = word_set("memory memories remember recall episode episodes fact facts pattern patterns")
_LOOKUP = word_set("""
    browse calc calculate calculator check clock convert current describe fetch find forecast get
    inspect list lookup news price query quote read retrieve search show status time today track
    translate view weather wikipedia
""")
_ACTING = word_set("""
    add apply approve assign book build buy call cancel change close commit create delete deploy
    edit execute file fix import insert install log make merge migrate modify move open order pay
    post publish push put record refund register release remove renew reply reset restart run save
    schedule send set sign start stop submit transfer update upload verify write
""")


@dataclass(frozen=True, kw_only=True)
class ToolUse:
    """How often tools succeeded or failed in one stretch of conversation."""

    successes: int = 0
    actions: int = 0
    """Successes of tools that do something, rather than look something up."""

    errors: int = 0
    recovered: bool = False
    """A failure was followed by a success, of the same tool or of another."""


def read_tool_use(said: Sequence[Said]) -> ToolUse:
    """Count tool results, leaving out the tools that only keep or read memory."""
    results = [one for one in said if one.role == "tool" and not _is_memory_tool(one.tool or "")]
    failures = [index for index, one in enumerate(results) if one.is_error]
    return ToolUse(
        successes=len(results) - len(failures),
        actions=sum(not one.is_error and is_acting_tool(one.tool or "") for one in results),
        errors=len(failures),
        recovered=bool(failures) and any(not one.is_error for one in results[failures[0] :]),
    )


def is_acting_tool(name: str) -> bool:
    """Return whether a tool of this name changes something in the world.

    The first telling word decides (`read_file` looks up, `file_claim` acts). A name that tells
    nothing counts as acting: tools that only look things up tend to say so.
    """
    if _is_memory_tool(name):
        return False
    telling = next((token for token in _tokens(name) if token in _LOOKUP | _ACTING), None)
    return bool(name) and telling not in _LOOKUP


def _is_memory_tool(name: str) -> bool:
    return not _MEMORY.isdisjoint(_tokens(name))


def _tokens(name: str) -> tuple[str, ...]:
    return tuple(token.lower() for token in _TOKEN.findall(name))
