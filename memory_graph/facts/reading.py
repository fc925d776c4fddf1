"""Read one message: by a model, or by rules where none is set."""

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from langchain_core.language_models import BaseChatModel

from memory_graph.context import Context
from memory_graph.facts.extraction import FactExtractor
from memory_graph.records import FactCandidate, MemoryDecision, Named, Said, Usage

if TYPE_CHECKING:
    from memory_graph.store.scope import UserMemory


@dataclass(frozen=True)
class Message:
    """One message of the user's, and what it is read with."""

    text: str
    message_id: str
    at: datetime
    zone: ZoneInfo
    language: str
    before: tuple[Said, ...] = ()
    """The exchange before it, both sides, oldest first."""

    is_late: bool = False
    """It is made up for: others may have been said since, and were kept before it."""


@dataclass(frozen=True)
class StatedWish:
    """How the user wants the agent to work from now on, as a message says it."""

    wish: str
    when: str = "always"
    until: date | None = None
    replaces: tuple[Named, ...] = ()


@dataclass(frozen=True)
class ReadResult:
    """What a message states, and who read it."""

    by: str
    """`rules/3`, or a prompt's version and the model's name."""

    facts: tuple[FactCandidate, ...] = ()
    ended: tuple[Named, ...] = ()
    """Known facts that are over, and that nothing new replaces."""

    wishes: tuple[StatedWish, ...] = ()
    has_episode: bool | None = None
    """Whether something may have come of it; unknown where no model read it."""

    skipped: tuple[MemoryDecision, ...] = ()
    usage: Usage = field(default_factory=Usage)


async def read(
    message: Message,
    memory: "UserMemory",
    model: BaseChatModel | None,
    timeout_s: float,
    context: Context,
) -> ReadResult:
    """Return what a message states; nothing is written.

    Raises:
        ModelUnavailableError: If the model does not answer: the turn stays open.
    """
    heard = [each.text for each in message.before if each.role == "user"]
    window = context.policies.admission.window - 1
    texts = [*heard[max(len(heard) - window, 0) :], message.text]
    found = await FactExtractor(model, timeout_s, memory).extract(texts, message.at, message.zone)
    return ReadResult(
        by=found.extractor,
        facts=found.candidates,
        has_episode=found.has_episode,
        skipped=found.skipped,
        usage=found.usage,
    )
