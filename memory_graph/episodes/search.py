"""Find episodes by topic, time and metadata."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from memory_graph.episodes.store import RELEVANT
from memory_graph.language.questions import last_times, topic_of
from memory_graph.language.times import find_time_phrase
from memory_graph.records import Episode, Outcome
from memory_graph.store.collection import Found
from memory_graph.store.scope import UserMemory

PeriodProblem = Literal["unreadable_start", "unreadable_end", "unreadable_when", "end_before_start"]


@dataclass(frozen=True)
class Period:
    """From `start` up to, not including, `end`; nothing means open."""

    start: datetime | None = None
    end: datetime | None = None

    def holds(self, moment: datetime) -> bool:
        """Return whether `moment` lies within."""
        return (self.start is None or moment >= self.start) and (
            self.end is None or moment < self.end
        )


def read_period(
    start: str, end: str, when: str, *, now: datetime, zone: ZoneInfo
) -> Period | PeriodProblem:
    """Return the period that is named; what narrows it most counts.

    Args:
        start: ISO 8601, with or without a zone, a bare date, or a phrase; empty for open.
        end: The same; a bare date means the whole day.
        when: A phrase such as `last week`.
        now: The moment phrases are read against.
        zone: The user's, for what names none.
    """
    phrased = _phrase(when, now, zone) if when.strip() else Period()
    first = _bound(start, now, zone, is_end=False)
    last = _bound(end, now, zone, is_end=True)
    if phrased is None:
        return "unreadable_when"
    if start.strip() and first is None:
        return "unreadable_start"
    if end.strip() and last is None:
        return "unreadable_end"
    period = Period(first or phrased.start, last or phrased.end)
    if period.start and period.end and period.end <= period.start:
        return "end_before_start"
    return period


def _bound(text: str, now: datetime, zone: ZoneInfo, *, is_end: bool) -> datetime | None:
    text = text.strip()
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        phrased = _phrase(text, now, zone) or _OPEN
        return phrased.end if is_end else phrased.start
    if is_end and len(text) <= len("2026-11-16"):  # a bare date means the whole day
        moment += timedelta(days=1)
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def _phrase(text: str, now: datetime, zone: ZoneInfo) -> Period | None:
    found = find_time_phrase(text, now=now, zone=zone)
    return Period(found.start, found.end) if found else None


_OPEN = Period()
_EVERY = 10_000
_IN_TIME = 0.1
"""How well an episode of the time that a query names fits at least, if the time was meant."""


@dataclass(frozen=True, kw_only=True)
class EpisodeQuery:
    """What is looked for; whatever is left empty does not matter."""

    text: str = ""
    period: Period = _OPEN
    project: str = ""
    outcome: Outcome | None = None
    task: str = ""
    """Part of its title, summary or task."""

    tool: str = ""
    participant: str = ""
    entity: str = ""
    tag: str = ""
    fact_id: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    """What fields of any name say: `ticket`, by `JIRA-12`; the text may say so, too."""

    min_relevance: float = 0.5
    """Of a replay: how surely an episode is about the topic; 0.5 is as surely as not."""

    limit: int = 10


@dataclass(frozen=True)
class EpisodesFound:
    """What fits a query, and what the answer has to say about it."""

    hits: list[Found[Episode]]
    more: int = 0
    """How many more fit, and were left out by the limit."""

    phrase: str = ""
    """The words of the query that were read as a time."""

    is_outside: bool = False
    """Nothing of that time fits; the hits are of other times."""

    arcs: dict[str, list[Episode]] = field(default_factory=dict)
    """The arc of each hit that has one, by id."""


class _Wanted(NamedTuple):
    """What the words of a query ask for: a topic, a time, and how many of the last occasions."""

    topic: str
    period: Period
    phrase: str
    """The words that name the time."""

    last: int | None


async def find_episodes(
    memory: UserMemory,
    query: EpisodeQuery,
    now: datetime,
    zone: ZoneInfo,
    *,
    counts: bool = True,
) -> EpisodesFound:
    """Return the episodes that fit, best first; without a topic, the latest first.

    Nothing is left out for fitting badly: each hit says how well it fits. A time that the
    words name counts unless nothing of that time fits. That an agent found them counts as a
    use of them; that a person looks them up does not.
    """
    wanted, fitting, timely = await _fitting(memory, query, now, zone)
    meant = [each for each in timely if not wanted.topic or each.relevance >= _IN_TIME]
    chosen = _chosen(meant or fitting, wanted)
    hits = chosen[: query.limit]
    ids = [each.record.id for each in hits]
    if counts:
        await memory.commit(await memory.access.touch(ids, now))
    arcs = {each: await memory.episodes.chain(each) for each in ids}
    return EpisodesFound(
        hits=hits,
        more=len(chosen) - len(hits),
        phrase=wanted.phrase,
        is_outside=bool(wanted.phrase) and not meant,
        arcs={episode_id: arc for episode_id, arc in arcs.items() if len(arc) > 1},
    )


async def replay(
    memory: UserMemory, query: EpisodeQuery, now: datetime, zone: ZoneInfo
) -> EpisodesFound:
    """Return the episodes about a topic in the order they happened; the most relevant ones."""
    wanted, _, timely = await _fitting(memory, query, now, zone)
    least = query.min_relevance
    about = [e for e in timely if sureness(e.relevance) >= least or not wanted.topic]
    chosen = _chosen(about, wanted)
    hits = sorted(chosen[: query.limit], key=lambda e: (e.record.started_at, e.record.id))
    return EpisodesFound(hits, more=len(chosen) - len(hits), phrase=wanted.phrase)


def sureness(relevance: float) -> float:
    """Return how surely an episode is about a topic, 0–1: what is just relevant is at 0.5."""
    return relevance / (relevance + RELEVANT)


_FIELD = re.compile(r"(?<!\S)([^\W\d]\w*)=(\"[^\"]+\"|\S+)")


async def _fitting(
    memory: UserMemory, query: EpisodeQuery, now: datetime, zone: ZoneInfo
) -> tuple[_Wanted, list[Found[Episode]], list[Found[Episode]]]:
    """Return the episodes that fit, all and those of the time that the words name.

    They are read as people mean `the last 3 times …`, `… last week`.
    """
    named = {key: value.strip('"') for key, value in _FIELD.findall(query.text)}
    query = replace(query, metadata={**named, **query.metadata})
    text = _FIELD.sub(" ", query.text).strip()
    counted = last_times(text)
    rest = " ".join(text.replace(counted[1], " ").split()) if counted else text
    time = find_time_phrase(rest, now=now, zone=zone) if rest else None
    phrase = time.phrase if time and time.hard else ""
    topic = topic_of(rest, phrase) if counted or phrase else rest
    period = Period(time.start, time.end) if time and phrase else _OPEN
    if topic:
        found = await memory.episodes.best(await memory.query(topic, now), _EVERY)
    else:
        found = [Found(episode, 0.0, {}) for episode in await memory.episodes.recent(_EVERY)]
    wanted = _Wanted(topic, period, phrase, counted[0] if counted else None)
    fitting = [each for each in found if _fits(each.record, query)]
    return wanted, fitting, [each for each in fitting if _is_of(each.record, period)]


def _chosen(found: list[Found[Episode]], wanted: _Wanted) -> list[Found[Episode]]:
    """Return the hits as they are asked for: best first, or the last few occasions in order."""
    if wanted.last is None:
        return found
    best = max((each.relevance for each in found), default=0.0)
    about = [each for each in found if each.relevance >= min(RELEVANT, best)]
    by_time = sorted(about, key=lambda e: (e.record.ended_at, e.record.id))
    return by_time[-wanted.last :]


def _is_of(episode: Episode, period: Period) -> bool:
    """Say whether any day of an episode lies within a period; merged over days, each one does."""
    zone = ZoneInfo(episode.time_zone)
    noons = [datetime.combine(date.fromisoformat(e), time(12), tzinfo=zone) for e in episode.days]
    return any(map(period.holds, (episode.ended_at, *noons)))


def _says(episode: Episode, field_name: str, wanted: str) -> bool:
    """Say whether a field of an episode's metadata, of any name, holds a value."""
    value = episode.metadata.model_dump().get(field_name)
    values = value if isinstance(value, list | tuple) else [value]
    return wanted.strip().casefold() in {str(each).casefold() for each in values}


def _fits(episode: Episode, query: EpisodeQuery) -> bool:
    """Return whether an episode has everything a query asks for besides its text."""
    known = episode.metadata
    told = f"{episode.title}\n{episode.summary}\n{known.free.get('task', '')}".casefold()
    names = (
        (query.project, (episode.project or "",)),
        (query.tool, known.tools_used),
        (query.participant, known.participants),
        (query.entity, known.entities),
        (query.tag, known.tags),
    )
    return (
        _is_of(episode, query.period)
        and all(_says(episode, name, value) for name, value in query.metadata.items())
        and query.outcome in (None, episode.outcome)
        and query.task.strip().casefold() in told
        and query.fact_id in {"", *(link.fact_id for link in episode.facts)}
        and all(
            not wanted or wanted.strip().casefold() in {name.casefold() for name in had}
            for wanted, had in names
        )
    )
