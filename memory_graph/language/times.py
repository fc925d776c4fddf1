"""Find the times that a text asks about or tells, in English or translated into it.

The phrases of another language are in `data/time/<code>.json`: `words` by the name they have in a
pattern (`{unit}`), and `patterns` with their English. In a pattern `a|b` are alternatives and `?`
makes a place optional; `{d}`, `{m}` and `{y}` are numbers. Only translated phrases are read.
"""

import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

from memory_graph.language.english.calendar_days import Bound, Span, add_days
from memory_graph.language.english.time_phrases import hits
from memory_graph.language.words import DEFAULT, language_of
from memory_graph.once import once_a_turn

MAX_CHARACTERS = 4000
"""Of a longer text only the beginning and the end, half of this each, are read."""
_MOST_COMPARED = 5
"""A message full of dates is a list, and its first few are as good as the rest."""
_MOST_MENTIONS = 50
"""The most dates returned of one statement."""
_OLDEST = date(2, 1, 1)
"""The first days of year 1 have no instant in zones east of Greenwich."""
_ONE_DAY = timedelta(days=1)
_DIGIT = re.compile(r"\d")
_DISTANCE = re.compile(r"\b(?:ago|days?|weeks?|months?|years?)\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class TimeRange:
    """The past time a message asks or tells about, as instants in the user's zone."""

    phrase: str
    """As found in the text."""

    start: datetime | None
    """Inclusive; nothing means open."""

    end: datetime | None
    """Exclusive; nothing means open."""

    hard: bool
    """False for a vague phrase (`recently`), which may only ever boost."""


@dataclass(frozen=True, kw_only=True)
class DateMention:
    """One time expression of a statement, past or future."""

    phrase: str
    """In English."""

    start: datetime
    """The first instant of what is named, in the user's zone."""

    end: datetime
    """The midnight after it."""

    is_day: bool
    """Whether a day or a weekend is named, not a week or more."""

    bound: Bound = "at"
    """What the phrase says of the time named: `since May`, `by Friday`."""

    exact: bool = True
    """False where nobody counted: `a few days ago`, `around Easter`, `recently`."""

    @property
    def names_day(self) -> bool:
        """Whether the phrase is a date (`12 June`), not a distance or a weekday."""
        is_date = self.is_day and self.exact and _DIGIT.search(self.phrase) is not None
        return is_date and not _DISTANCE.search(self.phrase)


def midnight(day: date, zone: ZoneInfo) -> datetime:
    """Return the first instant of a local day, also where the clocks jump over its midnight."""
    return datetime.combine(day, time.min, tzinfo=zone).astimezone(UTC).astimezone(zone)


def _shortened(text: str) -> str:
    """Return what is read of a text: all of it, or the beginning and the end."""
    half = MAX_CHARACTERS // 2
    return text if len(text) <= MAX_CHARACTERS else f"{text[:half]}\n\n{text[2 - half :]}"


def find_time_phrase(
    text: str, *, now: datetime, zone: ZoneInfo, language: str | None = None
) -> TimeRange | None:
    """Find the past time a message speaks of.

    Args:
        text: What the user wrote; of more than `MAX_CHARACTERS` the beginning and the end are read.
        now: When they wrote it; aware.
        zone: Where they are; days begin there.
        language: A code such as `de`; detected when not given.

    Returns:
        The clearest phrase: exact before vague, then the first. Nothing when no phrase looks back.
    """
    language = language_of(text) if language is None else language
    if language != DEFAULT:
        translation = _translate(text, language)
        found = find_time_phrase(translation.text, now=now, zone=zone, language=DEFAULT)
        return found and replace(found, phrase=translation.original(found.phrase))
    local = now.astimezone(zone)
    ranges = (
        TimeRange(
            phrase=phrase,
            start=midnight(window[0], zone) if window[0] else None,
            end=midnight(window[1], zone) if window[1] else None,
            hard=span.hard,
        )
        for span, phrase in hits(_shortened(text), local, statement=False)
        if (window := _window(span, local.date()))
    )
    return max(islice(ranges, _MOST_COMPARED), key=lambda each: each.hard, default=None)


def _window(span: Span, today: date) -> tuple[date | None, date | None] | None:
    """Return the past days meant, if they have begun."""
    if span.bound in {"before", "by"}:
        end = span.start if span.bound == "before" else span.end
        return (None, end) if _OLDEST <= end <= today else None
    start = span.end if span.bound == "after" else span.start
    if not _OLDEST <= start <= today:
        return None
    return start, span.end if span.bound == "at" else add_days(today, 1)


def find_dates(
    text: str, *, now: datetime, zone: ZoneInfo, language: str | None = None
) -> list[DateMention]:
    """Find every time a statement tells, past or future, in the order of the text.

    A name without a year or `last` means the coming day or month (`dentist on Friday`), or the
    latest one where the clause is in the past tense (`went on Friday`); `next Friday` is the first
    one after today. Habits (`every Monday`) and hours alone are no dates.
    """
    language = language_of(text) if language is None else language
    told = text if language == DEFAULT else _translate(text, language).text
    return list(_dates(told, now.replace(second=0, microsecond=0), zone))


@once_a_turn
def _dates(text: str, now: datetime, zone: ZoneInfo) -> tuple[DateMention, ...]:
    """Find the dates of a text once: the nodes of a turn ask for them, at nearly the same time."""
    found = hits(_shortened(text), now.astimezone(zone), statement=True)
    return tuple(
        DateMention(
            phrase=phrase,
            start=midnight(span.start, zone),
            end=midnight(span.end, zone),
            is_day=span.kind in {"day", "weekend"}
            or (span.kind, span.end - span.start) == ("range", _ONE_DAY),
            bound=span.bound,
            exact=span.hard,
        )
        for span, phrase in islice(found, _MOST_MENTIONS)
        if span.start >= _OLDEST
    )


def event_dates(text: str, *, now: datetime, zone: ZoneInfo) -> frozenset[date]:
    """Return the days that a text names by day and month."""
    found = find_dates(text, now=now, zone=zone)
    return frozenset(each.start.date() for each in found if each.names_day)


# — translation —

_DATA = Path(__file__).parent / "data" / "time"
_LANGUAGES = frozenset(path.stem for path in _DATA.glob("*.json"))
_NUMBERS = {"d": r"\d{1,2}", "m": r"\d{1,2}", "y": r"(?:19|20)\d\d"}
_MONTHS = "January February March April May June July August September October November December"
_AS_WRITTEN = r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}:\d{2}"
_CLAUSE_END = re.compile(
    r"(?<!\d)\. |[!?。！？\n;:]|,\s(?!\d)|\s(?:und|aber|et|mais|y|pero|e|mas|ma|en|maar)\s|[，、]"
)
"""Where what was and what is to come part: `j'ai signé, j'emménage le 20 janvier`."""
_SPACE = r"\s{1,3}"


class _Piece(NamedTuple):
    """Where a translated phrase stands in the English text and in the original."""

    start: int
    end: int
    original_start: int
    original_end: int


class _Translation(NamedTuple):
    text: str
    read: str = ""
    pieces: tuple[_Piece, ...] = ()

    def original(self, phrase: str) -> str:
        """Return the words of the message that a phrase of the English text stands for."""
        start = self.text.find(phrase)
        end = start + len(phrase)
        held = [piece for piece in self.pieces if piece.start < end and piece.end > start]
        return self.read[held[0].original_start : held[-1].original_end]


def _translate(text: str, language: str) -> _Translation:
    """Put the translated phrases in a row, those that belong together in one sentence."""
    if language not in _LANGUAGES:
        return _Translation("")
    phrases, read = _phrases(language), _shortened(text)
    joined, pieces, last = "", list[_Piece](), 0
    ends = [0, *(match.end() for match in _CLAUSE_END.finditer(read)), len(read)]
    for begin, end, meaning in phrases.found(read):
        after = bisect_right(ends, begin)
        was = phrases.in_past(read[ends[after - 1] : ends[min(after, len(ends) - 1)]])
        together = joined and not read[last:begin].strip(" ,\t")
        joined += " " if together else ". was " if was else ". "
        pieces.append(_Piece(len(joined), len(joined) + len(meaning), begin, end))
        joined, last = joined + meaning, end
    return _Translation(joined, read, tuple(pieces))


class _PlainLetters(dict[int, str]):
    """What each letter met so far is in lowercase without its accent, for `str.translate`."""

    def __missing__(self, code: int) -> str:
        plain = "'" if chr(code) == "’" else unicodedata.normalize("NFD", chr(code).lower())[:1]
        return self.setdefault(code, plain)


_PLAIN = _PlainLetters()


class _Phrases:
    """The time phrases of one language."""

    def __init__(self, code: str) -> None:
        data = json.loads((_DATA / f"{code}.json").read_text(encoding="utf-8"))
        self._spaced: bool = data["spaces"]
        self._past = re.compile(data["past"])
        self._words = {
            name: {self._fold(w): meaning for meaning, ws in listed.items() for w in ws.split()}
            for name, listed in data["words"].items()
        }
        ordered = sorted(data["patterns"].items(), key=lambda item: -len(item[0]))
        self._patterns: list[tuple[re.Pattern[str], str]] = [
            (re.compile(self._pattern(key)), meaning) for key, meaning in ordered
        ]
        anything = "|".join(re.sub(r"\?P<\w+>", "?:", p.pattern) for p, _ in self._patterns)
        edges = (r"(?<!\w)", r"(?!\w)") if self._spaced else ("", "")
        self._any = re.compile(f"{edges[0]}(?:{_AS_WRITTEN}|{anything}){edges[1]}")

    def found(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield where each phrase stands, and what it is in English."""
        for match in self._any.finditer(self._fold(text)):
            meaning = self._meaning(match.group())
            if meaning != "-":
                yield match.start(), match.end(), meaning

    def in_past(self, clause: str) -> bool:
        """Tell whether a clause speaks of what was."""
        return self._past.search(clause.lower()) is not None

    def _fold(self, text: str) -> str:
        """Return lowercase without accents, letter for letter."""
        return text.translate(_PLAIN) if self._spaced else text

    def _pattern(self, written: str) -> str:
        *places, last = self._fold(written).split(" ")
        return "".join(map(self._place, places)) + self._alternatives(last)

    def _place(self, written: str) -> str:
        if written.endswith("?"):
            return f"(?:{self._alternatives(written[:-1])}{_SPACE})?"
        return self._alternatives(written) + _SPACE

    def _alternatives(self, written: str) -> str:
        """Return the expression of one place, which may hold names and letters side by side."""
        return "".join(
            self._named(part[1:-1]) if part.startswith("{") else _letters(part)
            for part in re.split(r"(\{\w+\})", written)
        )

    def _named(self, name: str) -> str:
        if name in _NUMBERS:
            return f"(?P<{name}>{_NUMBERS[name]})"
        words = sorted(self._words[name], key=len, reverse=True)
        listed = "|".join(re.escape(word).replace("_", _SPACE) for word in words)
        return rf"(?P<{name}>{listed}|\d{{1,4}})" if name == "n" else f"(?P<{name}>{listed})"

    def _meaning(self, folded: str) -> str:
        for pattern, meaning in self._patterns:
            if match := pattern.fullmatch(folded):
                said = {name: text for name, text in match.groupdict().items() if text}
                values = {
                    name: self._words.get(name, {}).get(re.sub(r"\s+", "_", text), text)
                    for name, text in said.items()
                }
                number = int(values.get("m") or 0)
                month = _MONTHS.split()[number - 1] if 1 <= number <= 12 else "-"
                return meaning.format_map({"month": month, **values})
        return folded


def _letters(written: str) -> str:
    listed = "|".join(re.escape(each) for each in written.removesuffix("?").split("|"))
    return f"(?:{listed}){'?' * written.endswith('?')}" if written else ""


@cache
def _phrases(code: str) -> _Phrases:
    return _Phrases(code)
