"""Print text, tables of memories and decisions.

On a terminal output has colour, and tables fit its width; in a pipe it is plain text. With
`--json`, a command prints one JSON value.
"""

import json
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, Literal, TypedDict
from zoneinfo import ZoneInfo

import click
from pydantic_core import to_jsonable_python

from memory_graph.curation.page import Notes
from memory_graph.errors import MemoryGraphError
from memory_graph.facts.timeline import versions_of
from memory_graph.language.words import shorten
from memory_graph.records import Episode, Fact, MemoryDecision
from memory_graph.settings import wants_colour

if TYPE_CHECKING:
    from memory_graph.store.collection import Found


class _Look(TypedDict, total=False):
    """How a style looks, in the words of `click.style`."""

    fg: str
    bold: bool
    dim: bool


Style = Literal["plain", "dim", "bold", "good", "warning", "bad"]
Advance = Callable[[int, int], None]  # called with how many of how many steps are done
_STYLES: Mapping[Style, _Look] = {
    "dim": {"dim": True},
    "bold": {"bold": True},
    "good": {"fg": "green"},
    "warning": {"fg": "yellow"},
    "bad": {"fg": "red", "bold": True},
}
_SLIMMEST = 12  # characters to which the widest column of a table may shrink


_STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Controls: they clear the screen, retitle the window or turn the direction of a text."""


def escape_json(text: str) -> str:
    """Return JSON in which what would steer a terminal is written as an escape."""
    return _STEERS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@dataclass(frozen=True)
class Presenter:
    """What a command prints with."""

    as_json: bool = False

    @property
    def is_interactive(self) -> bool:
        """Whether a person is at the terminal and can be asked."""
        return sys.stdin.isatty() and sys.stdout.isatty()

    def line(self, text: str = "", style: Style = "plain") -> None:
        """Print one line."""
        self.piece(f"{text}\n", style)

    def piece(self, text: str, style: Style = "plain") -> None:
        """Print part of a line, unbuffered, without what would steer a terminal."""
        text = _STEERS.sub("�", text)
        if text and style in _STYLES and sys.stdout.isatty() and wants_colour():
            text = click.style(text, **_STYLES[style])
        sys.stdout.write(text)
        sys.stdout.flush()

    def problem(self, text: str) -> None:
        """Print an error on standard error."""
        sys.stderr.write(f"memory-graph: {_STEERS.sub('�', text)}\n")

    def answer(self, value: object, text: str | Callable[[], object], code: int = 0) -> int:
        """Print a value as JSON, or else a text, or what `text` prints; return the exit code."""
        if self.as_json:
            self.data(value)
        elif callable(text):
            text()
        else:
            self.line(text)
        return code

    def data(self, value: object, *, indent: int | None = 2) -> None:
        """Print a value as JSON: records and dataclasses by their fields."""
        text = json.dumps(to_jsonable_python(value), ensure_ascii=False, indent=indent)
        self.line(escape_json(text))

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print rows under a title, cutting nothing off; the widest column is folded to fit."""
        self.line(f"{title} ({len(rows)})", "bold")
        widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
        room = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
        over, widest = sum(widths) + 2 * len(widths) - room, widths.index(max(widths))
        if room and over > 0:
            widths[widest] = max(_SLIMMEST, widths[widest] - over)
        for cells in (columns, *rows) if rows else ():
            folded = [wrap(cell, width) for cell, width in zip(cells, widths, strict=True)]
            for parts in zip_longest(*folded, fillvalue=""):
                padded = (part.ljust(width) for part, width in zip(parts, widths, strict=True))
                self.line(f"  {'  '.join(padded)}".rstrip())

    @contextmanager
    def progress(self, label: str) -> Iterator[Advance]:
        """Show progress on standard error, if a person is there."""
        is_open = False

        def advance(done: int, total: int) -> None:
            nonlocal is_open
            if sys.stderr.isatty():
                is_open = done < total
                sys.stderr.write(f"\r{label}: {done} of {total}{'' if is_open else chr(10)}")
                sys.stderr.flush()

        try:
            yield advance
        finally:
            if is_open:  # what stopped it gets a line of its own
                sys.stderr.write("\n")


# — memories —
_WORDS = 60  # characters of the words that a line of the page came of


def show_page(show: Presenter, page: Sequence[Notes], zone: ZoneInfo) -> None:
    """Print facts by whom or what they are about, each with the words it came of."""
    rows = [
        (
            notes.title,
            f"{note.text}{' (pinned)' if note.fact.pinned else ''}",
            day_of(note.fact.valid_from, zone),
            f"“{shorten(note.said[-1].text, _WORDS)}”" if note.said else "–",
            note.fact.id,
        )
        for notes in page
        for note in notes.notes
    ]
    show.table("Facts", ("about", "known", "since", "said as", "id"), rows)


def show_episodes(show: Presenter, episodes: Sequence[Episode]) -> None:
    """Print episodes, each with the one it continues."""
    rows = [
        (short_id(e.id), e.date_iso, e.title, e.outcome, short_id(e.parent_episode_id or ""))
        for e in episodes
    ]
    show.table("Episodes", ("id", "day", "title", "outcome", "continues"), rows)


def show_history(show: Presenter, facts: Sequence[Fact], zone: ZoneInfo) -> None:
    """Print the values of facts over time: `3 → 4`."""
    for fact in facts:
        line = versions_of(fact)
        values = ["(ended)" if v.reason == "retracted" else v.value or v.statement for v in line]
        values += ["(ended)"] if fact.valid_to else []
        show.line(f"{fact.id}: {' → '.join(values)}", "bold")
        for version in line:
            until = day_of(version.valid_to, zone) if version.valid_to else "now"
            since = day_of(version.valid_from, zone)
            show.line(f"  {since} – {until:<10}  {version.statement}")


def day_of(moment: datetime, zone: ZoneInfo) -> str:
    """Return the local date of a moment."""
    return moment.astimezone(zone).date().isoformat()


def short_id(record_id: str) -> str:
    """Return an id short enough to type; commands accept the beginning of an id."""
    return record_id[:11] if record_id.startswith("ep-") else record_id


_ABOUT = 0.25
"""Below this relevance a memory is hardly about the query; as in `episodes/store.py`."""


def is_weak(found: "Found[Fact] | Found[Episode]") -> bool:
    """Say whether a memory was found by its importance and age rather than by the query."""
    return found.relevance < _ABOUT


def show_found(show: Presenter, found: "Sequence[Found[Fact] | Found[Episode]]") -> None:
    """Print search results with the parts of their scores; weak ones in a table of their own."""
    columns = ("score", "id", "memory", "parts")
    show.table("Found", columns, [_found(each) for each in found if not is_weak(each)])
    if weak := [_found(each) for each in found if is_weak(each)]:
        show.table("Weak: hardly about this", columns, weak)


def _found(each: "Found[Fact] | Found[Episode]") -> tuple[str, ...]:
    text = each.record.statement if isinstance(each.record, Fact) else each.record.human_line
    parts = " ".join(f"{name}={part:.3f}" for name, part in each.parts.items() if part)
    return f"{each.score:.3f}", short_id(each.record.id), text, parts


def show_record(show: Presenter, record: Mapping[str, object]) -> None:
    """Print every field of a memory that is not empty."""
    if show.as_json:
        show.data(record)
        return
    for name, value in record.items():
        if value not in (None, "", [], {}):
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            show.line(f"{name:<18} {text}")


def plain_words(error: Exception) -> str | None:
    """Return what an error says, if that was written for people."""
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}."
    is_ours = isinstance(error, MemoryGraphError) or type(error) is ValueError
    return str(error) if is_ours else None


def first_line(error: Exception) -> str:
    """Return an error in one line, with its kind where it was not written for people."""
    said = plain_words(error) or f"{type(error).__name__}: {str(error).strip() or 'no details'}"
    return said.splitlines()[0]


def count(number: int, noun: str, plural: str = "") -> str:
    """Return `1 fact`, `2 facts`, `2 memories`."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or f'{noun}s'}"


# — decisions —
_DONE = {
    "create": "created",
    "update": "updated",
    "verify": "verified",
    "retract": "ended",
    "merge": "merged into",
    "evict": "removed",
}
_LOWER_BOUNDS = {
    "notability": "notability_min",
    "novelty": "novelty_min",
    "turns_since_last": "cooldown_turns",
    "minutes_since_last": "cooldown_minutes",
}
_COUNTS = frozenset({"captured_today", "turns_since_last", "minutes_since_last"})
_DECIDED_BY: Mapping[str, Sequence[str]] = {
    "cooldown": ("turns_since_last", "minutes_since_last"),
    "not_novel": ("novelty",),
}
"""The scores that decided a skip, where it was not notability."""


def event_line(event: Mapping[str, object]) -> str | None:
    """Return an event of the custom stream as a line of text; None for internal events."""
    if event.get("event") == "memory.search" and "found" in event:
        return _searched(event)
    if event.get("event") == "memory.gave_up":
        return f"{event['node']} failed ({event['error']}); the reply continues without it"
    return decision_line(MemoryDecision.model_validate(event)) if "action" in event else None


def _searched(event: Mapping[str, object]) -> str:
    best, threshold = float(str(event["best"])), float(str(event["threshold"]))
    why = f"{best:.2f} {'≥' if best >= threshold else '<'} {threshold:.2f}"
    facts = count(int(str(event["facts"])), "fact")
    episodes = count(int(str(event["episodes"])), "episode")
    return (
        f"recalled {facts}, {episodes}: {event['found']} "
        f"{'by its time' if event.get('reason') == 'time' else why} "
        f"in {float(str(event['milliseconds'])):.0f} ms"
    )


def decision_line(decision: MemoryDecision) -> str:
    """Return a decision as a line of text: what was done to which memory, and why."""
    if decision.action == "skip":
        why = ", ".join(_why_skipped(decision))
        return f"{decision.kind} skipped: {decision.reason}{f' ({why})' if why else ''}"
    names = [each for each in ("notability", "novelty", "similarity") if each in decision.scores]
    why = "; ".join([decision.reason, *(_score(decision, name) for name in names)])
    return f"{_DONE[decision.action]} {decision.memory_id or decision.kind} ({why})"


def _why_skipped(decision: MemoryDecision) -> list[str]:
    """Return the scores that were too low."""
    scores, bounds = decision.scores, decision.thresholds
    if decision.reason == "quota":
        return [f"{scores['captured_today']:g} of {bounds['max_per_day']:g} today"]
    names = _DECIDED_BY.get(decision.reason, ("notability", "similarity"))
    low = [n for n in names if n in scores and scores[n] < bounds.get(_bound_of(decision, n), 0.0)]
    return [_score(decision, name) for name in low]


def score_text(decision: MemoryDecision) -> str:
    """Return the scores of a decision, each with its threshold if it has one."""
    return ", ".join(_score(decision, name) for name in decision.scores)


def _score(decision: MemoryDecision, name: str) -> str:
    form = "g" if name in _COUNTS else ".2f"
    value = decision.scores[name]
    bound = decision.thresholds.get(_bound_of(decision, name))
    if bound is None:
        return f"{name} {value:{form}}"
    return f"{name} {value:{form}} {'≥' if value >= bound else '<'} {bound:{form}}"


def _bound_of(decision: MemoryDecision, name: str) -> str:
    if name == "similarity":
        return "merge_similarity" if decision.kind == "episode" else "auto"
    return _LOWER_BOUNDS.get(name, "")
