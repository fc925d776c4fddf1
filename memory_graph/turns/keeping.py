"""Keep turns word for word for a limited time, and mark those that are no evidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal
from zoneinfo import ZoneInfo

from langgraph.store.base import PutOp

from memory_graph.background import off_the_loop
from memory_graph.keys import stable_id, turn_record_id
from memory_graph.language.frames import is_from_memory_alone
from memory_graph.language.points import points
from memory_graph.language.questions import asks_first
from memory_graph.language.requests import to_forget
from memory_graph.language.sentences import split_sentences
from memory_graph.language.times import find_dates
from memory_graph.language.words import words_of
from memory_graph.policies import VerbatimPolicy
from memory_graph.reading import LONGEST_SENTENCE, read_texts
from memory_graph.records import Handling, Said, TurnRecord
from memory_graph.safety.own_voice import is_takeover
from memory_graph.store.scope import UserMemory
from memory_graph.turns.store import ASSISTANT, USER

if TYPE_CHECKING:
    from memory_graph.language.heads import Heads
    from memory_graph.turns.messages import Turn


_ASKS = points()["asks_surely"]
_SENTENCES = 4  # a message with more of them tells something
_SHORT = timedelta(days=3)  # a longer stretch does not say when something happened
_INSTANT = timedelta(minutes=1)  # how long a clock time lasts
_BRIEF = 80
"""Characters of a question that tells nothing; a longer one tells what it is about."""

_RECAP = 300
"""Characters of a reply that only tells again what was asked for. Of 1,500 replies of LongMemEval,
which tell something new, 8.9 % were taken for that without a limit.
"""

_TELLS = points()["tells_beside_question"]
"""From here up, a sentence is taken to tell something, unless it rather asks for what was told."""

_TRIM_EVERY = 500
"""Turns kept between two looks at all of them for those past their time: such a look reads them."""


_WORDS_OF_NEWS = 2
"""Stems of a reply that may tell something; `Got it.` has none."""


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
    repeats = repeats or sum(len(words_of(each)) for each in answers) < _WORDS_OF_NEWS
    return frozenset({*user, *({ASSISTANT} if repeats else ())})


def begun(
    turn: "Turn", read: Handling, policy: VerbatimPolicy, *, at: datetime, position: int
) -> TurnRecord:
    """Return the record of a turn as it is before the reply: whoever captures it completes it."""
    words = [each for each in turn.said if each.role == USER and each.text.strip()]
    return TurnRecord(
        id=turn.record_id,
        text=_text_of(words, policy),
        speaker=turn.speaker or USER,
        session=turn.thread_id,
        position=position,
        said_at=at,
        source=turn.source,
        digest=turn.digest,
        read=read,
        captured=Handling(state="open"),
    )


async def keep_turns(
    memory: UserMemory,
    turns: Sequence[tuple[TurnRecord, Sequence[Said]]],
    policy: VerbatimPolicy,
    now: datetime,
    zone: ZoneInfo,
) -> list[PutOp]:
    """Return the writes that complete the records of turns with what was said in them.

    Old ones are dropped now and then.
    """
    records: list[TurnRecord] = []
    for record, said in turns:
        records += await _completed(record, said, policy, zone)
    puts = await memory.turns.puts(records, now)
    if any(int(stable_id(turn.id)[:8], 16) % _TRIM_EVERY == 0 for turn in records):
        puts += memory.turns.deletions(await expired_turns(memory, policy, now))
    return puts


async def _completed(
    record: TurnRecord, said: Sequence[Said], policy: VerbatimPolicy, zone: ZoneInfo
) -> list[TurnRecord]:
    """Return what the user and the assistant said in one turn; tool traffic is no speech.

    The heads read the user's message, its first sentences and its last.
    """
    if not policy.enabled:
        return [record.model_copy(update={"text": ""})]
    text = " ".join(each.text for each in said if each.role == USER)
    parts = split_sentences(text)
    shown = [text, *parts[:_SENTENCES], *parts[_SENTENCES:][-1:]] if len(parts) > 1 else [text]
    whole, *sentences = await read_texts([each[:LONGEST_SENTENCE] for each in shown])
    echoing = who_echoes(said, whole, sentences or [whole])
    if any(to_forget(each) is not None for each in parts):
        echoing |= {USER}  # it would only name again what is to be forgotten
    if any(is_takeover(each.text) for each in said if each.role == ASSISTANT):
        echoing |= {ASSISTANT}  # an order in a reply is nobody's wish
    notable = round(max(max(each.durable, each.outcome) for each in (whole, *sentences)), 2)
    spoken = {
        role: words
        for role in (USER, ASSISTANT)
        if (words := [each for each in said if each.role == role and each.text.strip()])
    }
    kept = await off_the_loop(
        sum(len(each.text) for each in said),
        lambda: [
            _side(record, words, _Kept(policy, zone, echoes=role in echoing))
            for role, words in spoken.items()
        ],
    )
    if USER not in spoken:
        kept = [record.model_copy(update={"text": ""}), *kept]
    return [kept[0].model_copy(update={"notable": notable}), *kept[1:]]


@dataclass(frozen=True)
class _Kept:
    """How one side of a turn is kept."""

    policy: VerbatimPolicy
    zone: ZoneInfo
    echoes: bool


def _side(record: TurnRecord, words: Sequence[Said], kept: _Kept) -> TurnRecord:
    """Return one side of a turn; that of the assistant is kept for its words alone."""
    text, role = _text_of(words, kept.policy), words[0].role
    about = (None, None) if kept.echoes else _spoken_of(text, record.said_at, kept.zone)
    changes = {
        "text": text,
        "speaker": words[0].name or role,
        "about_from": about[0],
        "about_until": about[1],
        "echoes": kept.echoes,
    }
    if role == USER:
        return record.model_copy(update=changes)
    own = {"id": turn_record_id(record.source, role), "role": role, "position": record.position + 1}
    done = {"read": Handling(), "captured": Handling(), "digest": "", "has_episode": None}
    return record.model_copy(update={**changes, **own, **done})


def _text_of(words: Sequence[Said], policy: VerbatimPolicy) -> str:
    """Return the words that are kept, cut with a mark; none where nothing is kept verbatim."""
    if not policy.enabled:
        return ""
    text = "\n".join(each.text.strip() for each in words)
    longest = policy.max_characters
    return text if len(text) <= longest else f"{text[:longest].rstrip()} […]"


def _spoken_of(text: str, now: datetime, zone: ZoneInfo) -> tuple[datetime | None, datetime | None]:
    """Return the one day or weekend a turn speaks of, past or to come; nothing of several."""
    days = {
        (each.start, max(each.end, each.start + _INSTANT))
        for each in find_dates(text, now=now, zone=zone)
        if each.bound == "at" and each.exact and each.end - each.start < _SHORT
    }
    return days.pop() if len(days) == 1 else (None, None)


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
