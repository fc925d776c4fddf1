"""What flows between nodes. Every key of ours starts with `memory_`."""

from typing import Annotated

from langchain_core.messages import AnyMessage
from langgraph.graph import add_messages
from typing_extensions import TypedDict

from memory_graph.policy.recall import Reach, RecallFound
from memory_graph.policy.recall_intent import RecallGrade


class DecisionNote(TypedDict, total=False):
    """One memory decision of this turn; never what the user said."""

    kind: str
    action: str
    reason: str
    memory_id: str | None
    scores: dict[str, float]
    thresholds: dict[str, float]


class RecallNote(TypedDict, total=False):
    """What memory had to say about this turn."""

    intent: RecallGrade
    asks: bool
    found: RecallFound
    best: float
    threshold: float
    reason: str
    """`time`: the question was for whatever was said then; else `relevance`."""

    time_phrase: str | None
    time_range: tuple[str | None, str | None] | None
    reach: Reach | None
    """How far from that time memory had to look: `asked`, `around` or `anytime`."""

    memory_ids: list[str]
    answers: list[str]
    """The recalled statements that bear on the question, best first."""

    is_partial: bool
    """Several things were asked, and memory holds nothing about one of them."""


class Tax(TypedDict, total=False):
    """What memory added to this turn."""

    calls: int
    input_tokens: int | None
    """`None` where an endpoint did not say."""

    output_tokens: int | None
    milliseconds: float


class HotpathUpdate(TypedDict, total=False):
    """Written by `memory_hotpath`."""

    memory_decisions: list[DecisionNote]
    memory_noted: list[str]
    """What was just learnt, in words; the agent may acknowledge it."""

    memory_missed: dict[str, str]
    """Messages whose facts could not be kept, by id, and when; a later turn makes up for them."""

    memory_tax: Tax


class ContextUpdate(TypedDict, total=False):
    """Written by `memory_context`."""

    memory_context: str
    memory_recall: RecallNote
    memory_tax: Tax


class CaptureUpdate(TypedDict, total=False):
    """Written by `episodic_capture`."""

    memory_decisions: list[DecisionNote]
    memory_tax: Tax


class SupervisorUpdate(TypedDict, total=False):
    """Written by `supervisor`."""

    messages: list[AnyMessage]


class MemoryState(HotpathUpdate, ContextUpdate, total=False):
    """What a memory node reads. Plain `messages`, so that any graph's state composes."""

    messages: list[AnyMessage]


class State(HotpathUpdate, ContextUpdate, total=False):
    """One thread's state: the conversation, and what each node adds to it."""

    messages: Annotated[list[AnyMessage], add_messages]
