"""Read time phrases of other languages by translating them into English ones.

The phrases of a language are in `data/time/<code>.json`: `words` by the name they have in a
pattern (`{unit}`), and `patterns` with their English. In a pattern `a|b` are alternatives and `?`
makes a place optional; `{d}`, `{m}` and `{y}` are numbers. Only translated phrases are read.
"""

import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

from memory_graph.language.english.time import finder as english
from memory_graph.language.times import DateMention, TimeRange, original_place, shortened

DATA = Path(__file__).parent / "data" / "time"
NUMBERS = {"d": r"\d{1,2}", "m": r"\d{1,2}", "y": r"(?:19|20)\d\d"}
MONTHS = "January February March April May June July August September October November December"
AS_WRITTEN = r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}:\d{2}"
_SENTENCE_END = re.compile(r"(?<!\d)\. |[!?。！？\n]")
_SPACE = r"\s{1,3}"


def find_time_phrase(
    text: str, *, now: datetime, zone: ZoneInfo, language: str = "en"
) -> TimeRange | None:
    """Find the past time a message speaks of; `language` is a code such as `de`."""
    translation = _translate(text, language)
    found = english.find_time_phrase(translation.text, now=now, zone=zone)
    if found is None or translation.unchanged:
        return found
    begin = translation.text.find(found.phrase)
    first, last = translation.place(begin, begin + len(found.phrase))
    return replace(found, phrase=text[first:last])


def find_dates(
    text: str, *, now: datetime, zone: ZoneInfo, language: str = "en"
) -> list[DateMention]:
    """Find every time a statement tells, past or future."""
    translation = _translate(text, language)
    found = english.find_dates(translation.text, now=now, zone=zone)
    if translation.unchanged:
        return found
    places = [translation.place(*mention.span) for mention in found]
    return [
        replace(mention, span=place, phrase=text[slice(*place)])
        for mention, place in zip(found, places, strict=True)
    ]


def since(text: str, *, now: datetime, zone: ZoneInfo, language: str = "en") -> datetime | None:
    """Return when what a statement says became true, if it says so."""
    return english.since(_translate(text, language).text, now=now, zone=zone)


def event_date(text: str, *, now: datetime, zone: ZoneInfo, language: str = "en") -> date | None:
    """Return the one day of the event a statement tells of, past or future."""
    return english.event_date(_translate(text, language).text, now=now, zone=zone)


# — translation —


class _Piece(NamedTuple):
    """Where a translated phrase stands in the English text and in the original."""

    start: int
    end: int
    original_start: int
    original_end: int


@dataclass(frozen=True)
class _Translation:
    text: str
    pieces: tuple[_Piece, ...] = ()
    unchanged: bool = False

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return where the pieces that hold a stretch of the English text stand originally."""
        held = [piece for piece in self.pieces if piece.start < end and piece.end > start]
        return held[0].original_start, held[-1].original_end


def _translate(text: str, language: str) -> _Translation:
    code = language.lower().split("-")[0]
    if code == "en":
        return _Translation(text, unchanged=True)
    path = DATA / f"{code}.json"
    if not code.isalpha() or not path.is_file():
        return _Translation("")
    read = shortened(text)
    return _joined(read, _read_language(path), removed=len(text) - len(read))


def _joined(text: str, phrases: "_Phrases", removed: int) -> _Translation:
    """Put the translated phrases in a row, those that belong together in one sentence."""
    joined, pieces, last = "", list[_Piece](), 0
    ends = [0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
    for begin, end, meaning in phrases.found(text):
        after = bisect_right(ends, begin)
        was = phrases.in_past(text[ends[after - 1] : ends[min(after, len(ends) - 1)]])
        together = joined and not text[last:begin].strip(" ,\t")
        joined += " " if together else ". was " if was else ". "
        place = original_place(begin, removed), original_place(end, removed)
        pieces.append(_Piece(len(joined), len(joined) + len(meaning), *place))
        joined, last = joined + meaning, end
    return _Translation(joined, tuple(pieces))


class _Phrases:
    """The time phrases of one language."""

    def __init__(self, path: Path) -> None:
        data = json.loads(path.read_text(encoding="utf-8"))
        self._spaced: bool = data["spaces"]
        self._past = re.compile(data["past"])
        self._words = {
            name: {
                self._fold(word): meaning
                for meaning, listed in table.items()
                for word in listed.split()
            }
            for name, table in data["words"].items()
        }
        ordered = sorted(data["patterns"].items(), key=lambda item: -len(item[0]))
        self._patterns: list[tuple[re.Pattern[str], str]] = [
            (re.compile(self._pattern(key)), meaning) for key, meaning in ordered
        ]
        anything = "|".join(re.sub(r"\?P<\w+>", "?:", p.pattern) for p, _ in self._patterns)
        edges = (r"(?<!\w)", r"(?!\w)") if self._spaced else ("", "")
        self._any = re.compile(f"{edges[0]}(?:{AS_WRITTEN}|{anything}){edges[1]}")

    def found(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield where each phrase stands, and what it is in English."""
        for match in self._any.finditer(self._fold(text)):
            meaning = self._meaning(match.group())
            if meaning != "-":
                yield match.start(), match.end(), meaning

    def in_past(self, sentence: str) -> bool:
        """Tell whether a sentence speaks of what was."""
        return self._past.search(sentence.lower()) is not None

    def _spelled(self, table: dict[str, str]) -> dict[str, str]:
        return {self._fold(w): meaning for meaning, listed in table.items() for w in listed.split()}

    def _fold(self, text: str) -> str:
        """Return lowercase without accents, letter for letter."""
        if not self._spaced:
            return text
        plain = (unicodedata.normalize("NFD", letter.lower())[:1] for letter in text)
        return "".join(plain).replace("’", "'")

    def _pattern(self, written: str) -> str:
        *places, last = self._fold(written).split(" ")
        return "".join(self._place(place) for place in places) + self._alternatives(last)

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
        if name in NUMBERS:
            return f"(?P<{name}>{NUMBERS[name]})"
        words = sorted(self._words[name], key=len, reverse=True)
        listed = "|".join(re.escape(word).replace("_", _SPACE) for word in words)
        return rf"(?P<{name}>{listed}|\d{{1,4}})" if name == "n" else f"(?P<{name}>{listed})"

    def _meaning(self, folded: str) -> str:
        for pattern, meaning in self._patterns:
            match = pattern.fullmatch(folded)
            if match:
                return meaning.format_map(self._values(match.groupdict()))
        return folded

    def _values(self, groups: dict[str, str]) -> dict[str, str]:
        values = {
            name: self._words.get(name, {}).get(re.sub(r"\s+", "_", said), said)
            for name, said in groups.items()
            if said
        }
        if 1 <= int(values.get("m", 0)) <= 12:
            values["month"] = MONTHS.split()[int(values["m"]) - 1]
        return {"month": "-", **values}


def _letters(written: str) -> str:
    listed = "|".join(re.escape(each) for each in written.removesuffix("?").split("|"))
    return f"(?:{listed}){'?' * written.endswith('?')}" if written else ""


@lru_cache(maxsize=16)
def _read_language(path: Path) -> _Phrases:
    return _Phrases(path)
