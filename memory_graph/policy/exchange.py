"""What was said and done in a conversation, as plain data that policies may look at."""

from dataclasses import dataclass
from typing import Literal

Role = Literal["user", "assistant", "tool"]


@dataclass(frozen=True, kw_only=True)
class Said:
    """One message, stripped of everything a policy has no business with.

    Memory that was injected into the prompt never becomes a `Said`.
    """

    role: Role
    text: str = ""
    message_id: str = ""
    tool_calls: tuple[str, ...] = ()
    """For the assistant: names of the tools it called in this message."""

    tool: str | None = None
    """For a tool result: the tool's name."""

    name: str | None = None
    """Who spoke, where a message says so: several people may share a conversation."""

    is_error: bool = False
    """For a tool result: the tool failed."""
