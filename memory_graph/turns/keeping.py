"""Keep turns word for word for a limited time, and mark those that are no evidence."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal
from zoneinfo import ZoneInfo

from langgraph.store.base import PutOp

from memory_graph.background import off_the_loop
from memory_graph.keys import stable_id
from memory_graph.language.frames import is_from_memory_alone
from memory_graph.language.sentences import asks_first, split_sentences, to_forget
from memory_graph.language.times import find_dates
from memory_graph.policies import VerbatimPolicy
from memory_graph.reading import LONGEST_SENTENCE, read_texts
from memory_graph.records import Said, Source, TurnRecord
from memory_graph.safety.own_voice import is_takeover
from memory_graph.store.scope import UserMemory
from memory_graph.turns.store import ASSISTANT, USER

if TYPE_CHECKING:
    from memory_graph.language.heads import Heads


_ASKS = 0.54
_SENTENCES = 4  # a message with more of them tells something
_SHORT = timedelta(days=3)  # a longer stretch does not say when something happened
_INSTANT = timedelta(minutes=1)  # how long a clock time lasts
_BRIEF = 80
"""Characters of a question that tells nothing; a longer one tells what it is about."""

_RECAP = 300
"""Characters of a reply that only tells again what was asked for. Of 1,500 replies of LongMemEval,
which tell something new, 8.9 % were taken for that without a limit.
"""

_TELLS = 0.35
"""From here up, a sentence is taken to tell something, unless it rather asks for what was told."""

_TRIM_EVERY = 500
"""Turns kept between two looks at all of them for those past their time: such a look reads them."""


def who_echoes(
    said: Sequence[Said], whole: "Heads", sentences: "Sequence[Heads]"
) -> frozenset[Literal["user", "assistant"]]:
    """Return whose words of a turn tell nothing that memory does not hold already.

    Memory's own answers, found again and again, would come to confirm themselves; a question
    tells nothing either, unless its message also tells something. What a tool brought is new.
    Where nobody answers, people talk to each other, and what they ask belongs to what they tell.
    """
    answers = [each.text for each in said if each.role == ASSISTANT and each.text.strip()]
    if not answers:
        return frozenset()
    asks = len(sentences) <= _SENTENCES and all(each.question >= _ASKS for each in sentences)
    tells = any(each.durable >= max(_TELLS, each.asks) for each in (whole, *sentences))
    asked = " ".join(each.text for each in said if each.role == USER)
    looks_back = whole.asks >= _ASKS
    is_bare = asks and not tells and (len(asked) < _BRIEF or (looks_back and asks_first(asked)))
    user = {USER} if is_bare else set()
    used_tools = any(each.role == "tool" or each.tool_calls for each in said)
    repeats = looks_back and not used_tools and sum(map(len, answers)) < _RECAP
    repeats = repeats or all(is_from_memory_alone(each) for each in answers)
    return frozenset({*user, *({ASSISTANT} if repeats else ())})


async def keep_turns(
    memory: UserMemory,
    turns: Sequence[tuple[Source, Sequence[Said]]],
    policy: VerbatimPolicy,
    now: datetime,
    zone: ZoneInfo,
) -> list[PutOp]:
    """Return the writes that keep what was said in `turns`, and drop old ones now and then."""
    if not policy.enabled:
        return []
    records: list[TurnRecord] = []
    for source, said in turns:
        place = Place(source, int(now.timestamp() * 1000) + len(records), now, zone)
        records += await _read_turn(said, place, policy.max_characters)
    puts = await memory.turns.puts(records, now)
    if any(int(stable_id(turn.id)[:8], 16) % _TRIM_EVERY == 0 for turn in records):
        puts += memory.turns.deletions(await expired_turns(memory, policy, now))
    return puts


@dataclass(frozen=True)
class Place:
    """Where and when a turn was said."""

    source: Source
    position: int
    said_at: datetime
    zone: ZoneInfo


async def _read_turn(said: Sequence[Said], place: Place, longest: int) -> list[TurnRecord]:
    """Return what the user and the assistant said in one turn; tool traffic is no speech.

    The heads read the user's message, its first sentences and its last.
    """
    text = " ".join(each.text for each in said if each.role == USER)
    parts = split_sentences(text)
    shown = [text, *parts[:_SENTENCES], *parts[_SENTENCES:][-1:]] if len(parts) > 1 else [text]
    whole, *sentences = await read_texts([each[:LONGEST_SENTENCE] for each in shown])
    echoing = who_echoes(said, whole, sentences or [whole])
    if any(to_forget(each) is not None for each in parts):
        echoing |= {USER}  # it would only name again what is to be forgotten
    if any(is_takeover(each.text) for each in said if each.role == ASSISTANT):
        echoing |= {ASSISTANT}  # an order in a reply is nobody's wish
    spoken = [
        words
        for role in (USER, ASSISTANT)
        if (words := [each for each in said if each.role == role and each.text.strip()])
    ]
    kept = await off_the_loop(
        sum(len(each.text) for each in said),
        lambda: [
            _record(words, replace(place, position=place.position + after), echoing, longest)
            for after, words in enumerate(spoken)
        ],
    )
    notable = round(max(max(each.durable, each.outcome) for each in (whole, *sentences)), 2)
    return [
        turn.model_copy(update={"notable": notable}) if turn.role == USER else turn for turn in kept
    ]


def _record(
    words: Sequence[Said], place: Place, echoing: Collection[str], longest: int
) -> TurnRecord:
    role: Literal["user", "assistant"] = ASSISTANT if words[0].role == ASSISTANT else USER
    text = "\n".join(each.text.strip() for each in words)
    text = text if len(text) <= longest else f"{text[:longest].rstrip()} […]"
    about_from, about_until = (None, None) if role in echoing else _spoken_of(text, place)
    return TurnRecord(
        id=record_id_of(place.source, role),
        text=text,
        role=role,
        speaker=words[0].name or role,
        session=place.source.thread_id or "",
        position=place.position,
        said_at=place.said_at,
        about_from=about_from,
        about_until=about_until,
        echoes=role in echoing,
        source=place.source,
    )


def _spoken_of(text: str, place: Place) -> tuple[datetime | None, datetime | None]:
    """Return the one day or weekend a turn speaks of, past or to come; nothing of several."""
    days = {
        (each.start, max(each.end, each.start + _INSTANT))
        for each in find_dates(text, now=place.said_at, zone=place.zone)
        if each.bound == "at" and each.exact and each.end - each.start < _SHORT
    }
    return days.pop() if len(days) == 1 else (None, None)


def record_id_of(source: Source, role: str) -> str:
    """Return the id under which the words of one side of a turn are kept."""
    return f"turn-{stable_id(source.thread_id or '', *source.message_ids)}-{role}"


def outdated_turns(
    turns: Sequence[TurnRecord], policy: VerbatimPolicy, now: datetime
) -> list[TurnRecord]:
    """Return the turns that are too old, or too many."""
    oldest = now - timedelta(days=policy.max_age_days)
    newest_first = sorted(turns, key=lambda turn: (turn.said_at, turn.position), reverse=True)
    surplus = newest_first[policy.max_turns :]
    return [*surplus, *(t for t in newest_first[: policy.max_turns] if t.said_at < oldest)]


async def expired_turns(memory: UserMemory, policy: VerbatimPolicy, now: datetime) -> list[str]:
    """Return the ids of turns past their time, except those that a pinned memory came from."""
    outdated = outdated_turns(await memory.turns.all(), policy, now)
    held = await held_messages(memory) if outdated else set()
    return [turn.id for turn in outdated if not held & set(turn.source.message_ids)]


async def held_messages(memory: UserMemory) -> set[str]:
    """Return the messages that pinned facts and episodes came from."""
    facts = [each.source for each in await memory.facts.all() if each.pinned]
    episodes = [each.source for each in await memory.episodes.all() if each.pinned]
    return {message for source in (*facts, *episodes) for message in source.message_ids}
