"""An episode's own messages, and the people and tools that a text plainly names."""

import re
from collections.abc import Iterable
from datetime import date
from functools import cache
from typing import Literal
from zoneinfo import ZoneInfo

from memory_graph.language.words import table
from memory_graph.records import Episode, Said
from memory_graph.store.scope import UserMemory

Naming = Literal["people", "tools"]


async def own_messages(memory: UserMemory, episode: Episode) -> list[tuple[date, Said]]:
    """Return what was said in an episode, by day, as far as the turns are still kept."""
    zone, heard = ZoneInfo(episode.time_zone), set(episode.source.message_ids)
    in_thread = await memory.turns.having("thread", [episode.source.thread_id or ""])
    turns = [
        turn
        for turn in (await memory.turns.find(in_thread)).values()
        if heard & set(turn.source.message_ids)
    ]
    if heard - {each for turn in turns for each in turn.source.message_ids}:
        turns = await memory.turns.said_in(heard)  # of several threads
    return [
        (
            turn.said_at.astimezone(zone).date(),
            Said(role=turn.role, text=turn.text, message_id=turn.source.message_ids[0]),
        )
        for turn in sorted(turns, key=lambda turn: (turn.said_at, turn.position))
        if not turn.withdrawn
    ]


def named_in(texts: Iterable[str], what: Naming) -> tuple[str, ...]:
    """Return what a text lists: `Participants: Tim, Emerson`, `ran the tools bash and grep`."""
    found: list[str] = []
    for text in texts:
        for match in _label(what).finditer(text):
            found += (each for each in _JOINS.split(match[1]) if each)
    return tuple(dict.fromkeys(found))


_JOINS = re.compile(r"(?<!\s)\s*(?:,|;|&|\b(?:and|und|y|e|et|en)\b)\s*")
_NAMES: dict[Naming, str] = {
    "people": r"[^\W\d_a-zà-ÿ][\w'’-]*(?: [^\W\d_a-zà-ÿ][\w'’-]*)*",
    "tools": r"[\w./-]*[\w]",
}


@cache
def _label(what: Naming) -> re.Pattern[str]:
    labels, name = table("labels")[what], _NAMES[what]
    join = r"\s*(?:,|;|&|\b(?:and|und|y|e|et|en)\b)\s*"
    colon = r"\s*:\s*" if what == "people" else r"\s*:?\s+"
    return re.compile(rf"(?i:\b(?:{labels})){colon}({name}(?:{join}{name})*)")
