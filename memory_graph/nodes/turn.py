"""Which turn is this: what did the user say, what happened since, and how is it identified?"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig

from memory_graph.policy.exchange import Said
from memory_graph.policy.secrets import SECRET_KINDS, SecretKind, mask_secrets
from memory_graph.records import Source
from memory_graph.storage.labels import stable_id


@dataclass(frozen=True)
class Turn:
    """One user message and everything up to the next."""

    thread_id: str
    run_id: str | None
    message_id: str
    text: str
    said: tuple[Said, ...]
    """The user's message and what followed it."""

    def receipt_of(self, node: str) -> str:
        """Return the id of the ledger entry that `node` leaves for this turn."""
        return f"{stable_id(self.thread_id, self.message_id)}-{node}"

    @property
    def speaker(self) -> str | None:
        """The name the user's message came with, if it came with one."""
        return self.said[0].name if self.said else None

    @property
    def is_answered(self) -> bool:
        """Whether an assistant said or did anything about it."""
        return any(said.role == "assistant" for said in self.said)

    @property
    def source(self) -> Source:
        """Where memories of this turn say they come from."""
        return Source(
            thread_id=self.thread_id or None, run_id=self.run_id, message_ids=(self.message_id,)
        )


def read_turns(
    messages: Sequence[AnyMessage],
    config: RunnableConfig | None,
    sensitive: Collection[SecretKind] = SECRET_KINDS,
) -> list[Turn]:
    """Return the turns of a conversation, oldest first, with secrets masked in all of it."""
    configurable = (config or {}).get("configurable") or {}
    thread_id = str(configurable.get("thread_id") or "")
    run_id = str(configurable.get("run_id") or (config or {}).get("run_id") or "") or None
    turns: list[Turn] = []
    for number, message in enumerate(messages):
        said = as_said(message, sensitive)
        if isinstance(message, HumanMessage):
            text = mask_secrets(str(message.text), sensitive)
            message_id = message.id or stable_id(str(number), str(message.text))
            turns.append(Turn(thread_id, run_id, message_id, text, (said,) if said else ()))
        elif turns and said:
            last = turns[-1]
            turns[-1] = Turn(thread_id, run_id, last.message_id, last.text, (*last.said, said))
    return turns


def as_said(message: AnyMessage, sensitive: Collection[SecretKind] = SECRET_KINDS) -> Said | None:
    """Return what a policy may see of a message; system messages are not for it."""
    text, message_id = mask_secrets(str(message.text), sensitive), message.id or ""
    if isinstance(message, HumanMessage):
        return Said(role="user", text=text, message_id=message_id, name=message.name)
    if isinstance(message, ToolMessage):
        failed = message.status == "error"
        return Said(
            role="tool", text=text, message_id=message_id, tool=message.name, is_error=failed
        )
    if isinstance(message, AIMessage):
        called = tuple(call["name"] for call in message.tool_calls)
        return Said(
            role="assistant",
            text=text,
            message_id=message_id,
            name=message.name,
            tool_calls=called,
        )
    return None
