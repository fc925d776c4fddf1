"""The state of the graph; every key of ours starts with `memory_`."""

from typing import Annotated, Literal

from langchain_core.messages import AnyMessage
from langgraph.graph import add_messages
from pydantic import Field, JsonValue
from typing_extensions import TypedDict

from memory_graph.errors import OffReason
from memory_graph.records import MemoryKind, Reach, RecallFound, RecallGrade


class DecisionNote(TypedDict, total=False):
    """One memory decision of this turn; never what the user said."""

    kind: str
    action: str
    reason: str
    memory_id: str | None
    scores: dict[str, float]
    thresholds: dict[str, float]


OFFLINE_PROVIDER = "memory-graph-offline"
"""What a reply without a model names as its provider: it tells nothing new."""


class LineNote(TypedDict):
    """One memory that bears on a message, by its id: never what it says."""

    kind: MemoryKind
    id: str
    relevance: float
    over: str | None
    """When it ceased to be true."""

    is_older: bool
    is_in_time: bool


class PartNote(TypedDict):
    """What was found for one of the questions in a message."""

    kind: Literal["profile", "time", "attribute", "all", "search"]
    found: RecallFound
    count: int
    """How many memories could be shown."""

    lines: list[LineNote]


class RecallNote(TypedDict, total=False):
    """What recall found for this turn."""

    today: str
    """The day in the user's zone, such as 2026-11-16."""

    intent: RecallGrade
    asks: bool
    language: str
    """The code of the language the message is in."""

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
    parts: list[PartNote]
    """What answers each question of the message, as ids."""

    does: Literal["asks", "tells", "requests", "small_talk"]
    """What the message does, mostly."""

    trace: dict[str, JsonValue]
    """What was looked at and why it was shown or left out: a `RecallTrace`, without any text."""


class Tax(TypedDict, total=False):
    """What memory added to this turn."""

    calls: int
    input_tokens: int | None
    """`None` where an endpoint did not say."""

    output_tokens: int | None
    milliseconds: float


class Missed(TypedDict):
    """A message whose facts could not be kept."""

    at: str
    by: str
    """A mark of the user in whose run it was sent; only that user's runs read it again."""


class OffNote(TypedDict):
    """Why memory is off in a thread, and how to switch it on."""

    reason: OffReason
    fix: str


class HotpathUpdate(TypedDict, total=False):
    """Written by `memory_hotpath`."""

    memory_decisions: list[DecisionNote]
    memory_noted: list[str]
    """What was just learnt, in words; the agent may acknowledge it."""

    memory_missed: dict[str, Missed]
    """Messages whose facts could not be kept, by id; a later turn reads them again."""

    memory_handled: dict[str, str]
    """A mark of the turn that was handled last, by user, to notice that a thread went back."""

    memory_parties: list[str]
    """Marks of the users whose runs this thread has seen."""

    memory_has_episode: list[str]
    """Messages that had an outcome, as the model says; evidence for capture."""

    memory_no_episode: list[str]
    """Messages without an outcome, as the model says; it writes no episode of them."""

    memory_told_episodes: dict[str, str]
    """What came of messages, by id, in the words of the model that read their facts."""

    memory_off: OffNote | None
    """Set while memory is off."""

    memory_erasure: str | None
    """The mark of the last erasure when this turn began; `None` if it is not known."""

    memory_tax: Tax


class ContextUpdate(TypedDict, total=False):
    """Written by `memory_context`."""

    memory_context: str
    """What bears on the message; goes in front of it."""

    memory_profile: str
    """Who the user is and how they want the agent to work; goes to the end of the system prompt."""

    memory_profile_since: str
    """The moment as of which the profile is shown: the first message of this thread on a day."""

    memory_recall: RecallNote
    memory_tax: Tax


class CaptureUpdate(TypedDict, total=False):
    """Written by `episodic_capture`."""

    memory_decisions: list[DecisionNote]
    memory_missed: dict[str, Missed]
    memory_tax: Tax


class SupervisorUpdate(TypedDict, total=False):
    """Written by `supervisor`."""

    messages: list[AnyMessage]


class MemoryState(HotpathUpdate, ContextUpdate, total=False):
    """What a memory node reads. Plain `messages`, so that any graph's state composes."""

    messages: list[AnyMessage]


class Conversation(TypedDict):
    """What the graph is given, and what it returns."""

    messages: Annotated[
        list[AnyMessage],
        Field(description="What the user says, or the conversation so far."),
        add_messages,
    ]


class State(HotpathUpdate, ContextUpdate, total=False):
    """One thread's state: the conversation, and what each node adds to it."""

    messages: Annotated[list[AnyMessage], add_messages]
