"""Read the messages of a thread as turns: a message of the user's, and what followed it."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig

from memory_graph import telemetry
from memory_graph.background import off_the_loop
from memory_graph.context import Context
from memory_graph.keys import stable_id
from memory_graph.language.sentences import split_sentences
from memory_graph.recent import Recent
from memory_graph.records import (
    SECRET_KINDS,
    Receipt,
    Said,
    SecretKind,
    Source,
    storable_id,
)
from memory_graph.safety.secrets import Reading, mask_secrets, read_within
from memory_graph.safety.unseen import visible
from memory_graph.settings import get_settings
from memory_graph.shape import shape_of
from memory_graph.state import OFFLINE_PROVIDER, MemoryState
from memory_graph.store.values import clean_text
from memory_graph.topics import without_topics
from memory_graph.turns.store import record_id


@dataclass(frozen=True)
class Turn:
    """One user message and everything up to the next."""

    thread_id: str
    run_id: str | None
    message_id: str
    text: str
    said: tuple[Said, ...]
    """The user's message and what followed it."""

    left_out: int = 0
    """Characters in the middle of the user's message that are not read."""

    digest: str = ""
    """Differs if a message was edited under the same id."""

    @property
    def mark(self) -> str:
        """Its name in receipts, records and the thread's line."""
        return mark_of(self.thread_id, self.message_id)

    @property
    def record_id(self) -> str:
        """The id of the record that keeps it."""
        return record_id(self.mark)

    def receipt_of(self, node: str) -> str:
        """Return the id of the ledger entry that `node` leaves for this turn."""
        return f"{self.mark}-{node}"

    def receipt(self, node: str) -> Receipt:
        """Return what `node` leaves for this turn."""
        return Receipt(self.receipt_of(node), self.source, self.digest)

    @property
    def speaker(self) -> str | None:
        """The name on the user's message, if there is one."""
        return self.said[0].name if self.said else None

    @property
    def source(self) -> Source:
        """The source that memories of this turn name."""
        return Source(
            thread_id=self.thread_id or None, run_id=self.run_id, message_ids=(self.message_id,)
        )


@lru_cache(maxsize=4096)
def mark_of(thread_id: str, message_id: str) -> str:
    """Return a turn's mark: the same for the same message of the same thread."""
    return stable_id(thread_id, message_id)


def thread_of(config: RunnableConfig | None) -> str:
    """Return the id of the thread a run belongs to, as memory keeps it; empty without one."""
    configurable = (config or {}).get("configurable") or {}
    return storable_id(str(configurable.get("thread_id") or ""))


_DIGEST = 4
"""Characters of a digest. One edit in 65,536 goes unnoticed; nobody can guess a text from it."""


async def turns_of(
    state: MemoryState,
    config: RunnableConfig,
    context: Context,
    last: int,
    *,
    also: Collection[str] = (),
) -> list[Turn]:
    """Return the last turns of a thread, oldest first; long ones are read off the event loop.

    For the messages in `also`, however far back, the turns they may refer to come too.
    """
    messages = state.get("messages") or []
    chosen = _chosen(messages, last, also, context.policies.admission.window)
    size = sum(len(words_of(message)) for _, message in chosen)
    turns = await off_the_loop(size, lambda: _read(chosen, config, limits_of(context)))
    if turns:
        telemetry.begin_turn(turns[-1].message_id)
    never = shape_of(context).never
    return [await _masked(each, never) for each in turns] if never else turns


async def _masked(turn: Turn, topics: Sequence[str]) -> Turn:
    """Return a turn without the sentences about topics that are never kept, on either side."""
    said = []
    for each in turn.said:
        text = await without_topics(split_sentences(each.text), each.text, topics)
        said.append(replace(each, text=text))
    text = await without_topics(split_sentences(turn.text), turn.text, topics)
    return replace(turn, text=text, said=tuple(said))


@dataclass(frozen=True)
class Limits:
    """How much of a message is read, and what is masked in it."""

    characters: int = 12_000
    sensitive: Collection[SecretKind] = SECRET_KINDS


def limits_of(context: Context) -> Limits:
    """Return how messages are read in a run."""
    characters = max(
        get_settings().limits.read_characters, 2 * context.policies.verbatim.max_characters
    )
    return Limits(characters, context.policies.admission.sensitive)


def read_turns(
    messages: Sequence[AnyMessage], config: RunnableConfig | None, limits: Limits | None = None
) -> list[Turn]:
    """Return the turns of a conversation, oldest first, with secrets masked in all of it."""
    return _read(list(enumerate(messages)), config, limits or Limits())


def spoken_in(messages: Sequence[AnyMessage]) -> Iterator[tuple[str, int]]:
    """Yield the ids of the user's messages and where they stand in a thread, the latest first.

    A generator, because threads are long and callers need a few.
    """
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if isinstance(message, HumanMessage) and not is_summary(message):
            yield id_of(place, message), place


def id_of(place: int, message: AnyMessage) -> str:
    """Return the id of a message, or one made of its place and words if it has none."""
    return storable_id(message.id or stable_id(str(place), words_of(message)))


def _chosen(
    messages: Sequence[AnyMessage], last: int, also: Collection[str], window: int
) -> list[tuple[int, AnyMessage]]:
    """Return the messages of the turns to read, each with its place in the thread."""
    known = islice(spoken_in(messages), None if also else last)
    spoken = dict(reversed([*known]))
    ids, places = list(spoken), [*spoken.values(), len(messages)]
    wanted = set(range(max(len(ids) - last, 0), len(ids)))
    for number in (n for n, each in enumerate(ids) if each in also):
        wanted |= set(range(max(number - window + 1, 0), number + 1))
    return [
        (place, messages[place])
        for number in sorted(wanted)
        for place in range(places[number], places[number + 1])
    ]


def _read(
    messages: Sequence[tuple[int, AnyMessage]], config: RunnableConfig | None, limits: Limits
) -> list[Turn]:
    configurable = (config or {}).get("configurable") or {}
    thread_id = thread_of(config)
    run_id = str(configurable.get("run_id") or (config or {}).get("run_id") or "") or None
    heard: list[tuple[str, Reading, str, list[Said]]] = []
    for number, message in messages:
        if is_summary(message):
            continue
        words = words_of(message)
        digest = stable_id(words)
        reading = _reading(digest, words, limits)
        if isinstance(message, HumanMessage):
            heard.append((id_of(number, message), reading, digest[:_DIGEST], []))
        if heard and (said := as_said(message, reading.text)):
            heard[-1][-1].append(said)
    return [
        Turn(thread_id, run_id, message_id, read.text, tuple(said), read.left_out, digest)
        for message_id, read, digest, said in heard
    ]


_readings: Recent[tuple[object, ...], Reading] = Recent(1000)
"""Messages as they were read last, because several nodes and later turns read them again.
Keyed by digest: the message itself may hold secrets, what was read of it holds none."""


def _reading(digest: str, words: str, limits: Limits) -> Reading:
    """Return a message, cut and masked; each message is read once."""
    key = (digest, limits.characters, tuple(limits.sensitive))
    if known := _readings.get(key):
        return known
    # Cut first: cleaning ten megabytes would block all other threads.
    reading = read_within(words, limits.characters, limits.sensitive)
    return _readings.put(key, replace(reading, text=clean_text(reading.text)))


def is_summary(message: AnyMessage) -> bool:
    """Say whether middleware wrote a message in the user's name, such as a summary."""
    return bool(message.additional_kwargs.get("lc_source"))


def words_of(message: AnyMessage) -> str:
    """Return the text of a message; of several blocks, with a space between them."""
    if isinstance(message.content, str):
        return message.content
    texts = [each if isinstance(each, str) else each.get("text") for each in message.content]
    return " ".join(text for text in texts if isinstance(text, str) and text)


def as_said(message: AnyMessage, text: str) -> Said | None:
    """Return what policies may see of a message; nothing of a system message."""
    message_id = storable_id(message.id or "")
    name = mask_secrets(visible(clean_text(message.name))) if message.name else None
    if isinstance(message, HumanMessage):
        return Said(role="user", text=text, message_id=message_id, name=name)
    if isinstance(message, ToolMessage):
        failed = message.status == "error"
        return Said(role="tool", text=text, message_id=message_id, tool=name, is_error=failed)
    if isinstance(message, AIMessage):
        called = tuple(call["name"] for call in message.tool_calls)
        return Said(
            role="assistant",
            text=text,
            message_id=message_id,
            name=name,
            tool_calls=called,
            is_from_memory=message.response_metadata.get("model_provider") == OFFLINE_PROVIDER,
        )
    return None
