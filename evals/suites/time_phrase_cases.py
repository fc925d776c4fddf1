"""Labelled sentences, and how well past ranges are found in them."""

import argparse
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from statistics import quantiles
from typing import Literal, TypedDict
from zoneinfo import ZoneInfo

from evals.harness.runner import CASES, split_of
from memory_graph.language.times import TimeRange, find_time_phrase

FILE = CASES / "time_phrases.jsonl"
LONG_MESSAGE = 2000
PROSE = (
    "I have been thinking about the kitchen and would like to change a few things. The table is "
    "too big for the room, and nobody ever sits on the bench by the window. My brother says that "
    "a round one would work better, but he also wanted to paint the ceiling green. Do you think "
    "we could keep the shelves? They were a present from my aunt, who built them for her own "
    "flat. If it gets too expensive, the lamps can wait. What matters most is that two people "
    "can cook without stepping on each other's feet. "
)
RUNS = 3
"""The fastest counts, so that a busy machine does not."""
Dates = tuple[str | None, str | None]


class Case(TypedDict, total=False):
    """One labelled sentence."""

    id: str
    kind: Literal["pos", "neg"]
    text: str
    now: str
    tz: str
    hemisphere: str
    accept: list[list[str | None]]
    """Local dates, half-open; nothing means open."""


@dataclass(frozen=True)
class Outcome:
    """What was found in one sentence."""

    case: Case
    found: TimeRange | None
    milliseconds: float

    @property
    def exact(self) -> bool:
        """Tell whether an accepted range was found."""
        return any(self.dates == tuple(accepted) for accepted in self.case["accept"])

    @property
    def dates(self) -> Dates | None:
        """Return the range found, as local dates."""
        return None if self.found is None else (_day(self.found.start), _day(self.found.end))

    @property
    def today(self) -> date:
        """Return the local date of the sentence."""
        return local_now(self.case).date()


def load(path: Path) -> list[Case]:
    """Read labelled sentences."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def local_now(case: Case) -> datetime:
    """Return when the sentence was said; a time without offset is local."""
    zone = ZoneInfo(case["tz"])
    now = datetime.fromisoformat(case["now"])
    return now.replace(tzinfo=zone) if now.tzinfo is None else now.astimezone(zone)


def run(case: Case) -> Outcome:
    """Look for a time phrase in one sentence."""
    now, zone = local_now(case), ZoneInfo(case["tz"])
    fastest = float("inf")
    for _ in range(RUNS):
        began = time.perf_counter()
        found = find_time_phrase(case["text"], now=now, zone=zone, language="en")
        fastest = min(fastest, time.perf_counter() - began)
    return Outcome(case, found, 1000 * fastest)


# — where a foreign labelled set follows other conventions than ours —


def _now_is_no_phrase(outcome: Outcome) -> bool:
    """`now`, `at the moment`: nothing to look back on, where others say today."""
    words = {"now", "moment", "present", "minute"}
    said = set(outcome.case["text"].lower().strip(".?!").replace(",", " ").split())
    return outcome.found is None and bool(said & words) and _means_today(outcome)


def _future_is_no_phrase(outcome: Outcome) -> bool:
    """`in half an hour`: nothing to look back on, where others say today."""
    said = f" {outcome.case['text'].lower()} "
    ahead = (" in half an hour ", " in the future ", " from today ")
    return outcome.found is None and any(words in said for words in ahead)


def _ends_include_today(outcome: Outcome) -> bool:
    """`year to date`, `since Monday`: today belongs to it, where others stop before."""
    if outcome.dates is None or outcome.found is None or outcome.found.start is None:
        return False
    start, end = outcome.dates
    tomorrow = _day(outcome.today + timedelta(days=1))
    return end == tomorrow and [start, _day(outcome.today)] in outcome.case["accept"]


CONVENTIONS: tuple[Callable[[Outcome], bool], ...] = (
    _now_is_no_phrase,
    _future_is_no_phrase,
    _ends_include_today,
)


def _means_today(outcome: Outcome) -> bool:
    today, tomorrow = outcome.today, outcome.today + timedelta(days=1)
    return [_day(today), _day(tomorrow)] in outcome.case["accept"]


def _day(moment: date | None) -> str | None:
    return None if moment is None else moment.strftime("%Y-%m-%d").zfill(10)


# — the report —


def report(title: str, outcomes: Iterable[Outcome]) -> None:
    """Print one line per measure."""
    outcomes = list(outcomes)
    positive = [o for o in outcomes if o.case["kind"] == "pos"]
    negative = [o for o in outcomes if o.case["kind"] == "neg"]
    exact = sum(o.exact for o in positive)
    ours = sum(o.exact or any(rule(o) for rule in CONVENTIONS) for o in positive)
    false = sum(o.found is not None for o in negative)
    cuts = quantiles([o.milliseconds for o in outcomes], n=100)
    print(f"{title}: {len(positive)} with a time phrase, {len(negative)} without")
    print(f"  exact                 {_percent(exact, len(positive))}")
    print(f"  with our conventions  {_percent(ours, len(positive))}")
    print(f"  false finds           {_percent(false, len(negative))}")
    print(f"  p50 / p95             {cuts[49]:.2f} / {cuts[94]:.2f} ms")


def report_long_messages(cases: Iterable[Case]) -> None:
    """Print how long a message of ordinary prose takes that holds one of the sentences."""
    padding = PROSE * (LONG_MESSAGE // len(PROSE) + 1)
    longer = [
        run(Case(**case | {"text": f"{padding[: LONG_MESSAGE - len(text)]} {text}"}))
        for case in cases
        if (text := case["text"])
    ]
    cuts = quantiles([outcome.milliseconds for outcome in longer], n=100)
    print(f"messages of {LONG_MESSAGE:,} characters")
    print(f"  p50 / p95             {cuts[49]:.2f} / {cuts[94]:.2f} ms")


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:5.1f} %  ({part} of {whole})" if whole else "-"


def show_misses(outcomes: Iterable[Outcome]) -> None:
    """Print what went wrong, held-back sentences excepted."""
    for outcome in outcomes:
        wrong = not outcome.exact if outcome.case["kind"] == "pos" else outcome.found is not None
        if wrong and split_of(outcome.case["id"]) == "tune":
            phrase = outcome.found.phrase if outcome.found else None
            print(f"  {outcome.case['text']!r}: {phrase!r} {outcome.dates}")


def main() -> None:
    """Measure our own table, or the file given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="another labelled file of the same shape")
    parser.add_argument("--misses", action="store_true", help="list what went wrong")
    options = parser.parse_args()
    outcomes = [run(case) for case in load(options.data or FILE)]
    report("all", outcomes)
    for split in ("tune", "check"):
        report(split, [o for o in outcomes if split_of(o.case["id"]) == split])
    report_long_messages(load(FILE)[::5])
    if options.misses:
        show_misses(outcomes)


if __name__ == "__main__":
    main()
