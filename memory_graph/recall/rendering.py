"""Write the memory block within its token budget."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from memory_graph.language.frames import Frames, frames_for
from memory_graph.language.sentences import split_sentences
from memory_graph.language.words import shorten, words_of
from memory_graph.recall.lines import Line
from memory_graph.records import Episode, Fact, Reach, TurnRecord
from memory_graph.safety.secrets import CLOSING, OPENING, escape_for_prompt

SHOWN = 380  # characters of one passage in the memory block


def passage(text: str, words: Sequence[str], longest: int = SHOWN) -> str:
    """Return the sentences of `text` around the one with most of `words`, on one line.

    What is left out before or after it is marked by an ellipsis; room that is left takes the
    beginning of the next one.
    """
    flat = " ".join(text.split())
    if len(flat) <= longest:
        return flat
    sentences = split_sentences(text) or (flat,)
    wanted = set(words)
    fits = [len(wanted.intersection(words_of(sentence))) for sentence in sentences]
    first = last = max(range(len(sentences)), key=lambda n: fits[n])
    room = longest - len(sentences[first])
    while room > 0 and (sides := [n for n in (first - 1, last + 1) if 0 <= n < len(sentences)]):
        side = max(sides, key=lambda n: fits[n])
        room -= len(sentences[side]) + 1
        if room >= 0:
            first, last = min(first, side), max(last, side)
    before = "… " if first > 0 else ""
    return before + shorten(" ".join(sentences[first:]), longest)


@dataclass(frozen=True)
class Telling:
    """The language, the place and the time of the one who is told."""

    language: str
    zone: ZoneInfo
    now: datetime
    words: Sequence[str] = ()
    """Stems of the question, by which the passage of a long turn is chosen."""

    @property
    def frames(self) -> Frames:
        """The sentences of the language."""
        return frames_for(self.language)

    def local(self, moment: datetime) -> date:
        """Return the day of a moment, where the user is."""
        return moment.astimezone(self.zone).date()

    def when(self, moment: datetime) -> str:
        """Return a day as it is said today."""
        return self.frames.day(self.local(moment), self.local(self.now))

    def dated(self, moment: datetime) -> str:
        """Return a day as the memory block shows it: `Mon 2026-11-02`."""
        day = self.local(moment)
        return f"{_WEEKDAYS[day.weekday()]} {day.isoformat()}"

    def spoken_of(self, turn: TurnRecord) -> date | None:
        """Return the one day a turn speaks of, if it is another than the day it was said on."""
        if turn.about_from is None or turn.about_until is None:
            return None
        first = self.local(turn.about_from)
        last = self.local(turn.about_until - timedelta(microseconds=1))
        return first if first == last != self.local(turn.said_at) else None


_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

_WHEN: dict[Reach | None, str] = {
    None: "",
    "asked": "",
    "around": "(Nothing is known of the time asked about; this is from around it.) ",
    "anytime": "(Nothing is known of the time asked about; this is from other times.) ",
}


@dataclass(frozen=True, kw_only=True)
class Material:
    """What there is to tell, in the order in which it is told."""

    bearing: Sequence[Line] = ()  # what bears on the message, best first
    facts: Sequence[Line] = ()  # what else is known
    episodes: Sequence[Line] = ()  # what else happened of late
    reach: Reach | None = None


@dataclass(frozen=True, kw_only=True)
class Rendered:
    """The memory block, and the lines it holds."""

    block: str = ""
    lines: tuple[Line, ...] = ()
    tokens: int = 0  # what the block costs

    def count(self, kind: type[Fact] | type[Episode] | type[TurnRecord]) -> int:
        """Return how many lines are of a kind."""
        return sum(isinstance(line.record, kind) for line in self.lines)


def render_fact(fact: Fact) -> str:
    """Return a fact on one dated line."""
    return f"- {escape_for_prompt(fact.statement)} (since {fact.valid_from:%Y-%m-%d})"


def render_line(line: Line, telling: Telling) -> str:
    """Return a memory on one dated line, in the user's zone; what is past says so."""
    record = line.record
    if isinstance(record, Fact):
        return _fact(record, line.said or record.statement, telling)
    if isinstance(record, Episode):
        told = record.summary
        for detail in (*record.lessons[:2], *record.next_steps[:2]):
            told += "" if detail.strip(" .") in told else f" {detail}"
        outcome = "" if record.outcome == "unknown" else f", {record.outcome}"
        return f"- ({telling.dated(record.ended_at)}{outcome}) {escape_for_prompt(told)}"
    said = f"{telling.dated(record.said_at)}, {escape_for_prompt(record.speaker)} said"
    if day := telling.spoken_of(record):
        said += f"; about {day.isoformat()}"
    if line.over_since:
        said += f"; no longer true since {telling.dated(line.over_since)}"
    return f"- ({said}) {escape_for_prompt(passage(record.text, telling.words))}"


def _fact(fact: Fact, said: str, telling: Telling) -> str:
    since = f"since {telling.dated(fact.valid_from)}"
    if fact.valid_to:
        since = f"no longer true since {telling.dated(fact.valid_to)}"
    elif fact.history:
        last = fact.history[-1]
        until = telling.dated(last.valid_to) if last.valid_to else "then"
        since += f"; until {until}: {escape_for_prompt(last.statement)}"
    day = f"on {fact.event_date.isoformat()}; " if fact.event_date else ""
    return f"- {escape_for_prompt(passage(said, telling.words))} ({day}{since})"


def render_memory(
    material: Material, telling: Telling, *, budget: int, count: Callable[[str], int]
) -> Rendered:
    """Return the memory block within a token budget, whole lines only."""
    left = budget - count(f"{OPENING}\n{CLOSING}")
    told: list[str] = []
    shown: list[Line] = []
    sections = (
        (f"{_WHEN[material.reach]}What may bear on this:", material.bearing),
        ("What is known:", material.facts),
        ("What happened lately:", material.episodes),
    )
    for heading, lines in sections:
        texts, left = fitting(heading, (render_line(line, telling) for line in lines), left, count)
        told += texts
        shown += lines[: max(len(texts) - 1, 0)]
    if not told:
        return Rendered()
    block = "\n".join([OPENING, *told, CLOSING])
    return Rendered(block=block, lines=tuple(shown), tokens=budget - left)


def fitting(
    heading: str, lines: Iterable[str], budget: int, count: Callable[[str], int]
) -> tuple[list[str], int]:
    """Return a heading with the lines that fit below it, and what they leave of the budget."""
    kept, left = [heading], budget - count(heading) - 1
    for line in lines:
        cost = count(line) + 1
        if cost > left:
            break
        kept.append(line)
        left -= cost
    return (kept, left) if len(kept) > 1 else ([], budget)
