"""The state of the graph; every key of ours starts with `memory_`."""

from typing import Annotated, Literal, NotRequired

from langchain_core.messages import AnyMessage
from langgraph.channels import UntrackedValue
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

    kind: Literal["profile", "rules", "time", "attribute", "all", "search"]
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


class Bound(TypedDict):
    """Whose a message is, as the run found out that brought it in."""

    of: str
    """A mark of its user; `OFF` for one said with memory off, `NOBODY` for one of nobody's."""

    at: str
    """When it came in."""

    missed: NotRequired[bool]
    """The store took nothing then: a later run of its user makes up for it."""


OFF, NOBODY = "off", "nobody"


class OffNote(TypedDict):
    """Why memory is off in a thread, and how to switch it on."""

    reason: OffReason
    fix: str


class Began(TypedDict):
    """What a turn's writes depend on."""

    of: str
    """The mark of the user in whose run it began."""

    erasure: str
    """The mark of that user's last erasure then."""


class ThreadNote(TypedDict, total=False):
    """What a thread's checkpoints keep for memory: whose each message is, and which branch it is.

    Nothing in it was said or recalled.
    """

    messages: dict[str, Bound]
    """The latest messages of the users', by id."""

    line: dict[str, int]
    """The last turns of this branch, by their marks, each with its position."""

    began: Began | None
    profile_since: str
    """The moment as of which the profile is shown: the first message of this thread on a day."""

    off: OffNote | None
    """Set while memory is off."""


class MemoryKeys(TypedDict, total=False):
    """Our keys of a graph's state. One is kept in checkpoints; the others end with the run."""

    memory_graph: ThreadNote
    memory_context: Annotated[str, UntrackedValue]
    """What bears on the message; goes in front of it."""

    memory_profile: Annotated[str, UntrackedValue]
    """Who the user is and how they want the agent to work; goes to the end of the system prompt."""

    memory_recall: Annotated[RecallNote, UntrackedValue]
    memory_decisions: Annotated[list[DecisionNote], UntrackedValue]
    memory_noted: Annotated[list[str], UntrackedValue]
    """What was just learnt, in words; the agent may acknowledge it."""

    memory_tax: Annotated[Tax, UntrackedValue]


class SupervisorUpdate(TypedDict, total=False):
    """Written by `supervisor`."""

    messages: list[AnyMessage]


class MemoryState(MemoryKeys, total=False):
    """What a memory node reads. Plain `messages`, so that any graph's state composes."""

    messages: list[AnyMessage]


class Conversation(TypedDict):
    """What the graph is given, and what it returns."""

    messages: Annotated[
        list[AnyMessage],
        Field(description="What the user says, or the conversation so far."),
        add_messages,
    ]


class State(MemoryKeys, total=False):
    """One thread's state: the conversation, and what each node adds to it."""

    messages: Annotated[list[AnyMessage], add_messages]
