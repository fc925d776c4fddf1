"""Put memory in words for a model: one dated line for each memory."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from memory_graph.episodes.rendering import shown_beside_summary
from memory_graph.facts.timeline import is_over
from memory_graph.language.sentences import split_sentences
from memory_graph.language.words import shorten, words_of
from memory_graph.prompts import fitting
from memory_graph.recall.lines import Line
from memory_graph.records import Episode, Fact, Precision, Reach, TurnRecord
from memory_graph.safety.secrets import CLOSING, OPENING, escape_for_prompt

SHOWN = 380  # characters of one passage in the memory block
_INSTANT = timedelta(microseconds=1)  # before the end of what holds until a day
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_PRECISE: dict[Precision, str] = {"day": "%a %Y-%m-%d", "month": "%Y-%m", "year": "%Y"}

_WHEN: dict[Reach | None, str] = {
    "around": "(Nothing is known of the time asked about; this is from around it.)",
    "anytime": "(Nothing is known of the time asked about; this is from other times.)",
}


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
class View:
    """The place and the time from which memory is looked at, and what was asked."""

    zone: ZoneInfo
    now: datetime
    words: Sequence[str] = ()
    """Stems of the question, by which the passage of a long turn is chosen."""

    def local(self, moment: datetime) -> date:
        """Return the day of a moment, where the user is."""
        return moment.astimezone(self.zone).date()

    def dated(self, moment: datetime, precision: Precision = "day") -> str:
        """Return a day as the memory block shows it: `Mon 2026-11-02`; a month stays a month."""
        day = self.local(moment)
        if precision == "day":
            return f"{_WEEKDAYS[day.weekday()]} {day.isoformat()}"
        return day.strftime(_PRECISE[precision])

    def spoken_of(self, turn: TurnRecord) -> date | None:
        """Return the one day a turn speaks of, if it is another than the day it was said on."""
        if turn.about_from is None or turn.about_until is None:
            return None
        first = self.local(turn.about_from)
        last = self.local(turn.about_until - timedelta(microseconds=1))
        return first if first == last != self.local(turn.said_at) else None


@dataclass(frozen=True, kw_only=True)
class Rendered:
    """The memory block, and the lines it holds."""

    block: str = ""
    lines: tuple[Line, ...] = ()
    tokens: int = 0  # what the block costs

    def count(self, kind: type[Fact] | type[Episode] | type[TurnRecord]) -> int:
        """Return how many lines are of a kind."""
        return sum(isinstance(line.record, kind) for line in self.lines)


def render_line(line: Line, view: View) -> str:
    """Return a memory on one dated line, in the user's zone; what is past says so."""
    record = line.record
    if isinstance(record, Fact):
        return render_fact(record, view)
    if isinstance(record, Episode):
        told = record.summary
        for detail in shown_beside_summary(record):
            told += "" if detail.strip(" .") in told else f" {detail}"
        outcome = "" if record.outcome == "unknown" else f", {record.outcome}"
        return f"- ({view.dated(record.ended_at)}{outcome}) {escape_for_prompt(told)}"
    said = f"{view.dated(record.said_at)}, {escape_for_prompt(record.speaker)} said"
    if day := view.spoken_of(record):
        said += f"; about {day.isoformat()}"
    if line.over_since:
        said += f"; no longer true since {view.dated(line.over_since)}"
    elif line.is_older:
        said += "; outdated by something said later"
    return f"- ({said}) {escape_for_prompt(passage(record.text, view.words))}"


def render_fact(fact: Fact, view: View) -> str:
    """Return a fact on one line: since when it holds, and what was so before.

    One in the user's own words is a quotation with its day.
    """
    if fact.own_words:
        said = f"{view.dated(fact.said_at or fact.valid_from)}, user said"
        if fact.valid_to and is_over(fact, view.now):
            said += f"; no longer true since {view.dated(fact.valid_to)}"
        return f"- ({said}) {escape_for_prompt(passage(fact.statement, view.words))}"
    is_coming = fact.valid_from > view.now
    since = f"{'from' if is_coming else 'since'} {view.dated(fact.valid_from, fact.precision)}"
    if fact.valid_to and is_over(fact, view.now):
        since = f"no longer true since {view.dated(fact.valid_to)}"
    elif fact.valid_to:
        since += f", until {view.dated(fact.valid_to - _INSTANT)}"
    elif was := [each for each in fact.history if not each.was_wrong]:
        until = view.dated(was[-1].valid_to) if was[-1].valid_to else "then"
        since += f"; until {until}: {escape_for_prompt(was[-1].statement)}"
    day = f"on {fact.event_date.isoformat()}; " if fact.event_date else ""
    return f"- {escape_for_prompt(passage(fact.statement, view.words))} ({day}{since})"


def render_memory(
    lines: Sequence[Line],
    view: View,
    *,
    budget: int,
    count: Callable[[str], int],
    reach: Reach | None = None,
) -> Rendered:
    """Return the memory block within a token budget, whole lines only."""
    left = budget - count(f"{OPENING}\n{CLOSING}")
    heading = _WHEN.get(reach, "")
    texts, left = fitting(heading, (render_line(line, view) for line in lines), left, count)
    if not texts:
        return Rendered()
    kept = tuple(lines[: len(texts) - bool(heading)])
    return Rendered(block="\n".join([OPENING, *texts, CLOSING]), lines=kept, tokens=budget - left)
