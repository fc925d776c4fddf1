"""The turns that capture has to judge, by topic, with what led to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memory_graph import background, clock
from memory_graph.context import Context
from memory_graph.episodes.capture import (
    Exchange,
    Fate,
    fate_of,
)
from memory_graph.episodes.signals import read_outcomes, read_signals
from memory_graph.episodes.themes import TopicTurn, group_by_topic, is_same_topic, topic_turn
from memory_graph.language.points import points
from memory_graph.language.requests import without_requests
from memory_graph.reading import read_message
from memory_graph.records import (
    LedgerEntry,
    Said,
    TurnRecord,
)
from memory_graph.state import RecallNote
from memory_graph.turns.messages import Turn
from memory_graph.turns.store import USER

_NO_FACT = frozenset({"skip", "evict"})

_CONTEXT_TURNS = 3
"""Earlier turns that are read again as context. A limit: it bounds the cost of a turn."""


@dataclass(frozen=True)
class Topic:
    """Turns on one topic, and the exchange they make."""

    turns: tuple[Turn, ...]
    fresh: tuple[Turn, ...]
    """Turns that capture sees for the first time; the others were put off by a cooldown."""

    exchange: Exchange


@dataclass(frozen=True)
class Seen:
    """What was done with turns before, by their marks: their records, and what was kept of them."""

    records: Mapping[str, TurnRecord]
    facts: Mapping[str, LedgerEntry]


@dataclass(frozen=True)
class _Read:
    """A turn with what capture decided before, and which of its messages count as evidence."""

    turn: Turn
    fate: Fate
    episode_id: str | None
    """The episode that holds the turn."""

    said: tuple[Said, ...]
    topic: TopicTurn
    tells: bool
    """Whether the user states something in it, or tools were used."""


async def open_topics(
    turns: Sequence[Turn], seen: Seen, context: Context, recall: RecallNote
) -> list[Topic]:
    """Return the turns to judge, by topic: new ones, and those that a cooldown put off."""
    fates = [fate_of(seen.records.get(turn.mark)) for turn in turns]
    due = [place for place, fate in enumerate(fates) if fate in {"fresh", "too_soon"}]
    done = [place for place, fate in enumerate(fates) if fate in {"settled", "kept"}]
    read = {place: await _read(turns, place, seen, recall) for place in due}
    if any(each.tells for each in read.values()):
        near = done[-_CONTEXT_TURNS:]
        read |= {place: await _read(turns, place, seen, recall) for place in near}
    groups = group_by_topic([read[place].topic for place in due])
    known = [read[place] for place in sorted(read)]
    return [
        await _topic([read[due[each]] for each in group], known, seen, context) for group in groups
    ]


async def _read(turns: Sequence[Turn], place: int, seen: Seen, recall: RecallNote) -> _Read:
    """Read a turn without replies that are no evidence.

    What memory itself said is not new, and what an assistant said about the past without
    support from memory may be invented. A request to forget is no news of what it names.
    """
    turn, is_last = turns[place], place == len(turns) - 1
    if is_last:
        asks_back = recall.get("intent", "none") != "none"
    else:
        asks_back = (await read_message(turn.text)).whole.asks >= points()["asks"]
    unfounded = asks_back and not (is_last and recall.get("found") == "found")
    said = tuple(
        replace(each, text=without_requests(each.text)) if each.role == USER else each
        for each in turn.said
        if each.role != "assistant" or each.tool_calls or not (each.is_from_memory or unfounded)
    )
    record = seen.records.get(turn.mark)
    at = record.said_at if record else clock.utc_now()
    outcomes = await read_outcomes(said)
    tells = bool(outcomes.statements or outcomes.tools_used)
    topic = await background.off_the_loop(
        len(turn.text), lambda: topic_turn(outcomes.messages, at, turn.thread_id)
    )
    episode_id = record.captured.memory_id if record else None
    return _Read(turn, fate_of(record), episode_id, said, topic, tells)


async def _topic(
    group: Sequence[_Read],
    known: Sequence[_Read],
    seen: Seen,
    context: Context,
) -> Topic:
    """Return turns on one topic as an exchange, with what led to it."""
    turns = tuple(each.turn for each in group)
    said = tuple(said for each in group for said in each.said)
    same = [
        each
        for each in known
        if each not in group and any(is_same_topic(each.topic, one.topic) for one in group)
    ]
    led_to = tuple(said for each in same if each.fate == "settled" for said in each.said)
    before = known[: known.index(group[0])]
    earlier = [s for e in before if e.turn.thread_id == turns[0].thread_id for s in e.said]
    outcomes = await read_outcomes(said, earlier=earlier, context=led_to)
    kept = [entry for turn in turns if (entry := seen.facts.get(turn.mark))]
    decided = [each for entry in kept for each in entry.decisions if each.action not in _NO_FACT]
    message_ids = tuple(turn.message_id for turn in turns)
    exchange = Exchange(
        said=said,
        outcomes=outcomes,
        signals=read_signals(outcomes),
        context=led_to,
        kept=tuple(dict.fromkeys(each.memory_id for each in decided if each.memory_id)),
        source=turns[-1].source.model_copy(update={"message_ids": message_ids}),
        now=clock.utc_now(),
        said_at=group[-1].topic.at,
        zone=context.zone,
        project=context.project,
        joins=next((each.episode_id for each in reversed(same) if each.episode_id), None),
    )
    fresh = tuple(each.turn for each in group if each.fate == "fresh")
    return Topic(turns, fresh, exchange)


def put_off_elsewhere(thread_id: str, waiting: Sequence[TurnRecord]) -> list[Turn]:
    """Return the turns of other threads that a cooldown put off.

    Only the user's part is read again, from the words that were kept.
    """
    return [
        Turn(
            each.session,
            each.source.run_id,
            each.source.message_ids[0],
            each.text,
            (Said(role="user", text=each.text, message_id=each.source.message_ids[0]),),
            digest=each.digest,
        )
        for each in waiting
        if each.session != thread_id and each.text and fate_of(each) == "too_soon"
    ]
