"""Say what recall found, as sentences to the user: the best lines, or what happened at a time."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from memory_graph.language.frames import Frames, frames_for, in_past, second_person
from memory_graph.language.questions import asks_for_former
from memory_graph.language.statements import said_to_user
from memory_graph.language.words import language_of, words_of
from memory_graph.reading import read_message
from memory_graph.recall.lines import Line, Remembered, said_at
from memory_graph.recall.rendering import View, passage
from memory_graph.recall.search import WORTH_TELLING, tells_most
from memory_graph.records import Episode, Fact, TurnRecord
from memory_graph.state import LineNote, PartNote
from memory_graph.store.scope import UserMemory

_QUOTED = 280  # characters of one passage

_AS_GOOD = 0.7  # share of the best line's relevance from which a second one is told too
_FORMER = 2
"""Earlier statements of one fact that are told where somebody asks what was so before."""

_OF_A_TIME = 4  # what is told of a time, and of somebody who asks what is known of them
_OF_A_PERSON = 8
_CLOSE = 3  # lines among which the older one of two is told, too
_DECIDES = 0.5  # chance from which a sentence tells a decision or a plan


@dataclass(frozen=True)
class Voice:
    """The language, the place and the time of the one who is told, and what they asked."""

    language: str
    zone: ZoneInfo
    now: datetime
    question: str = ""

    @property
    def frames(self) -> Frames:
        """The sentences of the language."""
        return frames_for(self.language)

    @property
    def view(self) -> View:
        """Where and when this is."""
        return View(self.zone, self.now, words_of(self.question))

    def when(self, moment: datetime) -> str:
        """Return a day as it is said today."""
        return self.frames.day(self.view.local(moment), self.view.local(self.now))


async def lines_of(memory: UserMemory, notes: Sequence[LineNote]) -> list[Line]:
    """Return the lines that recall noted, with their records; what is gone by now is left out."""
    ids: dict[str, list[str]] = {"fact": [], "episode": [], "turn": []}
    for note in notes:
        ids[note["kind"]].append(note["id"])
    known: dict[str, Remembered] = {
        **await memory.facts.find(ids["fact"]),
        **await memory.episodes.find(ids["episode"]),
        **await memory.turns.find(ids["turn"]),
    }
    return [
        Line(
            record=record,
            relevance=note["relevance"],
            at=said_at(record),
            over_since=datetime.fromisoformat(note["over"]) if note["over"] else None,
            is_older=note["is_older"],
            is_in_time=note["is_in_time"],
        )
        for note in notes
        if (record := known.get(note["id"]))
    ]


async def answer(part: PartNote, lines: Sequence[Line], voice: Voice) -> list[str]:
    """Return what answers one question of a message, as sentences; nothing if nothing does."""
    if part["kind"] == "profile":
        return _page(lines, part["count"], voice)
    if part["kind"] == "time":
        then = [line for line in lines if line.is_in_time]
        if re.search(voice.frames["decisions"], voice.question, re.IGNORECASE):
            decided = tell_all(await _decisions(then or lines), voice)
            return decided or ([voice.frames["undecided"]] if then else [])
        return tell_all(then or lines, voice)
    if part["kind"] == "all":
        return [tell(line, voice) for line in lines]
    if part["found"] == "none":
        return []
    return tell_best(lines, voice, most=1 if part["kind"] == "attribute" else 2)


async def tell_rules(memory: UserMemory, voice: Voice) -> list[str]:
    """Return how the user wants the agent to work, in their own words, the first first."""
    wishes = await memory.instructions.in_force(voice.view.local(voice.now))
    told = [f"- “{wish.wish}”" for wish in reversed(wishes)]
    return ["\n".join([voice.frames["rules"], *told])] if told else []


def _page(lines: Sequence[Line], count: int, voice: Voice) -> list[str]:
    told = [f"- {tell(line, voice)}" for line in lines[:_OF_A_PERSON]]
    if not told:
        return []
    rest = [voice.frames.fill("more", count=str(count - len(told)))] if count > len(told) else []
    return ["\n".join([voice.frames["profile"], *told, *rest])]


async def _decisions(lines: Sequence[Line]) -> list[Line]:
    """Return the decisions among lines, and what was said later in place of one."""
    decided = [line for line in lines if await _tells_decision(line)]
    later = {e.record.outdated_by for e in decided if isinstance(e.record, TurnRecord)}
    return [line for line in lines if line in decided or line.record.id in later]


async def _tells_decision(line: Line) -> bool:
    """Say whether something was decided: by an episode's decisions, or by words or kind."""
    record = line.record
    if isinstance(record, Episode) and record.decisions:
        return True
    text = record.summary if isinstance(record, Episode) else _said(record)
    reading = await read_message(text)
    decides = frames_for(reading.language)["decisions"]
    return re.search(rf"(?:{decides})", text, re.IGNORECASE) is not None or any(
        kinds["decision"] + kinds["plan"] >= _DECIDES for kinds in reading.kinds
    )


def _said(record: Fact | TurnRecord) -> str:
    return record.statement if isinstance(record, Fact) else record.text


def tell_all(lines: Sequence[Line], voice: Voice) -> list[str]:
    """Return what tells most of the time asked about, in the order it was said."""
    lines = [line for line in lines if not line.is_over]
    told = sorted(lines, key=tells_most)[:_OF_A_TIME]
    sentences = [tell(line, voice) for line in sorted(told, key=lambda line: line.at)]
    left = sum(tells_most(line) <= -WORTH_TELLING for line in lines if line not in told)
    return [*sentences, *([voice.frames.fill("more", count=str(left))] if left else [])]


def tell_best(lines: Sequence[Line], voice: Voice, most: int = 2) -> list[str]:
    """Return the best line, and those nearly as good."""
    if not lines:
        return []
    is_former = asks_for_former(voice.question)
    enough = _AS_GOOD * lines[0].relevance
    chosen = [lines[0], *(line for line in lines[1:most] if line.relevance >= enough)]
    if any(line.is_in_time for line in chosen):
        chosen = [line for line in chosen if line.is_in_time]
    apt = [line for line in chosen if (line.is_past if is_former else not line.is_over)]
    apt = apt or chosen[:1]
    apt = [line for n, line in enumerate(apt) if not any(_repeats(line, b) for b in apt[:n])]
    if is_former:
        return _told_as_former(apt[0], voice)
    apt += [line for line in lines[:_CLOSE] if line not in apt and _adds(line, apt[0], voice)][:1]
    return [tell(line, voice, earlier=line.at < apt[0].at) for line in apt]


def _adds(line: Line, best: Line, voice: Voice) -> bool:
    """Say whether an older message has words of the question that the newer one lacks."""
    language = language_of(_words(line), voice.language)
    asked, older, newer = (
        set(words_of(text, language)) for text in (voice.question, _words(line), _words(best))
    )
    by = line.record.outdated_by if isinstance(line.record, TurnRecord) else ""
    return line.is_older and best.record.id == by and not asked & older <= newer


def _repeats(line: Line, other: Line) -> bool:
    """Say whether a line says nothing that another does not."""
    return set(words_of(_words(line))) <= set(words_of(_words(other)))


def _words(line: Line) -> str:
    record = line.record
    return record.summary if isinstance(record, Episode) else _said(record)


def _told_as_former(line: Line, voice: Voice) -> list[str]:
    """Return what a fact said before it changed, the latest first; anything else as it is."""
    fact = line.record
    if not isinstance(fact, Fact) or not fact.history or fact.valid_to:
        return [tell(line, voice)]
    was = [version for version in fact.history if not version.was_wrong]
    told = []
    for version in was[: -_FORMER - 1 : -1]:
        until = voice.view.local(version.valid_to or fact.valid_from)
        told.append(voice.frames.dated("until", until, in_past(second_person(version.statement))))
    return told or [tell(line, voice)]


def tell(line: Line, voice: Voice, *, earlier: bool = False) -> str:
    """Return a memory as a sentence said to the user."""
    record, frames, when = line.record, voice.frames, voice.when(line.at)
    if isinstance(record, Episode):
        return frames.fill("happened", When=when[:1].upper() + when[1:], words=record.summary)
    if isinstance(record, TurnRecord):
        told = _quoted(record, voice, "earlier" if earlier or line.is_older else "told")
    else:
        attribute = record.attribute if record.entity == "user" else None
        value = record.value
        said = said_to_user(attribute, value, voice.language) if attribute and value else None
        told = said or second_person(record.statement)
        if record.own_words and not record.attribute:
            told = frames.fill("told", when=when, words=passage(record.statement, (), _QUOTED))
        if record.valid_from > voice.now:
            told = frames.dated("coming", voice.view.local(record.valid_from), told)
    if line.over_since is None:
        return told
    return frames.dated("over", voice.view.local(line.over_since), told)


def _quoted(turn: TurnRecord, voice: Voice, own: str) -> str:
    name = {"user": own, "assistant": "said"}.get(turn.speaker, "named")
    words = passage(turn.text, voice.view.words, _QUOTED)
    told = voice.frames.fill(name, when=voice.when(turn.said_at), words=words, who=turn.speaker)
    day: date | None = voice.view.spoken_of(turn)
    if day is None or day > voice.view.local(turn.said_at):
        return told
    meant = voice.frames.day(day, voice.view.local(voice.now))
    return told + voice.frames.fill("meant", when=meant)
