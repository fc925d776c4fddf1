"""Put memory in words: the block for a model, and the sentences said to the user."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from memory_graph.episodes.rendering import shown_beside_summary
from memory_graph.language.frames import Frames, frames_for, in_past, second_person
from memory_graph.language.sentences import split_sentences
from memory_graph.language.statements import said_to_user
from memory_graph.language.words import shorten, words_of
from memory_graph.recall.lines import ANYTHING, Line, Sought, text_of
from memory_graph.records import REMAINDER, Episode, Fact, Reach, TurnRecord
from memory_graph.safety.secrets import CLOSING, OPENING, escape_for_prompt

SHOWN = 380  # characters of one passage in the memory block
QUOTED = 280  # and of one that is told to the user

WORTH_TELLING = 0.5
"""How notable a turn must be to tell something of the user: more likely than not."""

_EPISODE = 0.7  # how much an episode tells, where a turn tells as much as it is notable
_AS_GOOD = 0.7  # share of the best line's relevance from which a second one is told too
_FORMER = 2
"""Earlier statements of one fact that are told where somebody asks what was so before."""


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
        for detail in shown_beside_summary(record):
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


def more(count: int, telling: Telling) -> list[str]:
    """Return the sentence that says how much was left out, if anything was."""
    return [telling.frames.fill("more", count=str(count))] if count > 0 else []


def tell_all(lines: Sequence[Line], telling: Telling, most: int = 4) -> list[str]:
    """Return what tells most of the time asked about, in the order it was said."""
    told = sorted(lines, key=_tells_most)[:most]
    sentences = [tell(line, telling) for line in sorted(told, key=lambda line: line.at)]
    left_out = sum(_tells_most(line) <= -WORTH_TELLING for line in lines if line not in told)
    return [*sentences, *more(left_out, telling)]


def _tells_most(line: Line) -> float:
    if not isinstance(line.record, TurnRecord):
        return -_EPISODE
    return -line.record.notable if line.record.role == "user" else 0.0


def tell_best(
    lines: Sequence[Line], telling: Telling, sought: Sought = ANYTHING, most: int = 2
) -> list[str]:
    """Return the best line, and those nearly as good."""
    if not lines:
        return []
    enough = _AS_GOOD * lines[0].relevance
    chosen = [lines[0], *(line for line in lines[1:most] if line.relevance >= enough)]
    apt = [line for line in chosen if sought.is_timely(line)] or chosen[:1]
    apt = [line for n, line in enumerate(apt) if not any(_repeats(line, b) for b in apt[:n])]
    if sought.is_former:
        return _told_as_former(apt[0], telling)
    return [tell(line, telling, earlier=line.at < apt[0].at) for line in apt]


def _repeats(line: Line, other: Line) -> bool:
    """Say whether a line says nothing that another does not."""
    said = line.record.summary if isinstance(line.record, Episode) else text_of(line)
    return set(words_of(said)) <= set(words_of(text_of(other)))


def _told_as_former(line: Line, telling: Telling) -> list[str]:
    """Return what a fact said before it changed, the latest first; anything else as it is."""
    fact = line.record
    if not isinstance(fact, Fact) or not fact.history or fact.valid_to:
        return [tell(line, telling)]
    told = []
    for version in fact.history[: -_FORMER - 1 : -1]:
        said = version.statement
        words = f"“{said}”" if fact.own_words else in_past(second_person(said))
        until = telling.local(version.valid_to or fact.valid_from)
        told.append(telling.frames.dated("until", until, words))
    return told


_UNQUOTED = str.maketrans("", "", "“”")
"""What is left of a statement is not what the user said."""


def tell(line: Line, telling: Telling, *, earlier: bool = False) -> str:
    """Return a memory as a sentence said to the user."""
    record, frames, when = line.record, telling.frames, telling.when(line.at)
    if isinstance(record, Episode):
        return frames.fill("happened", When=when[:1].upper() + when[1:], words=record.summary)
    own = "earlier" if earlier else "told"
    if isinstance(record, TurnRecord):
        name = {"user": own, "assistant": "said"}.get(record.speaker, "named")
        words = passage(record.text, telling.words, QUOTED)
        told = frames.fill(name, when=when, words=words, who=record.speaker)
        day = telling.spoken_of(record)
        if day is not None and day <= telling.local(record.said_at):
            told += frames.fill("meant", when=frames.day(day, telling.local(telling.now)))
    elif record.attribute is None or record.own_words:
        told = frames.fill(own, when=when, words=passage(text_of(line), telling.words, QUOTED))
        told = told.translate(_UNQUOTED) if record.extractor == REMAINDER else told
    else:
        value = record.value if record.entity == "user" else None
        said = said_to_user(record.attribute, value, telling.language) if value else None
        told = said or second_person(record.statement)
    if line.over_since is None:
        return told
    return frames.dated("over", telling.local(line.over_since), told)
