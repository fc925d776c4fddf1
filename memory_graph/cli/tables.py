"""How do facts, episodes and patterns look in a table?"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from memory_graph.cli.presenter import Presenter
from memory_graph.policy.pattern_rendering import render_record
from memory_graph.records import Episode, Fact, FactVersion, Pattern
from memory_graph.storage.collection import Found


def show_facts(show: Presenter, facts: Sequence[tuple[Fact, FactVersion]], zone: ZoneInfo) -> None:
    """Print facts with the value each had at the moment asked about."""
    rows = [
        (
            fact.id,
            version.statement,
            fact.category,
            f"{fact.importance}{' pinned' if fact.pinned else ''}",
            day_of(version.valid_from, zone),
        )
        for fact, version in facts
    ]
    show.table("Facts", ("id", "statement", "category", "importance", "since"), rows)


def show_episodes(show: Presenter, episodes: Sequence[Episode]) -> None:
    """Print episodes, each with the one it continues."""
    rows = [
        (
            short_id(each.id),
            each.date_iso,
            each.title,
            each.outcome,
            short_id(each.parent_episode_id) if each.parent_episode_id else "",
        )
        for each in episodes
    ]
    show.table("Episodes", ("id", "day", "title", "outcome", "continues"), rows)


def show_history(show: Presenter, facts: Sequence[Fact], zone: ZoneInfo) -> None:
    """Print which values facts had and when: `3 → 4`."""
    for fact in facts:
        line = _versions(fact)
        values = " → ".join(_value(version) for version in line)
        ended = " → (ended)" if fact.valid_to else ""
        show.line(f"{fact.id}: {values}{ended}", "bold")
        for version in line:
            show.line(f"  {_interval(version, zone)}  {version.statement}")


def day_of(moment: datetime, zone: ZoneInfo) -> str:
    """Return the day a moment falls on where the user is."""
    return moment.astimezone(zone).date().isoformat()


def short_id(record_id: str) -> str:
    """Return an id as people can type it; every command takes the beginning of an id."""
    return record_id[:11] if record_id.startswith("ep-") else record_id


def _versions(fact: Fact) -> tuple[FactVersion, ...]:
    """Return every value of a fact, the last one included, oldest first."""
    last = FactVersion.model_validate(fact.model_dump(include=set(FactVersion.model_fields)))
    return (*fact.history, last)


def _value(version: FactVersion) -> str:
    return "(ended)" if version.reason == "retracted" else version.value or version.statement


def _interval(version: FactVersion, zone: ZoneInfo) -> str:
    until = day_of(version.valid_to, zone) if version.valid_to else "now"
    return f"{day_of(version.valid_from, zone)} – {until:<10}"


def show_found(show: Presenter, found: Sequence[Found[Fact] | Found[Episode]]) -> None:
    """Print search results, each with what its score is made of."""
    rows = [
        (
            f"{each.score:.3f}",
            short_id(each.record.id),
            each.record.statement if isinstance(each.record, Fact) else each.record.human_line,
            " ".join(f"{name}={part:.3f}" for name, part in each.parts.items() if part),
        )
        for each in found
    ]
    show.table("Found", ("score", "id", "memory", "parts"), rows)


def show_patterns(show: Presenter, patterns: Sequence[Pattern]) -> None:
    """Print patterns with how often each worked."""
    rows = [
        (
            each.name,
            each.kind if each.status == "confirmed" else f"{each.status} {each.kind}",
            render_record(each),
            each.trigger,
            each.action,
        )
        for each in patterns
    ]
    show.table("Patterns", ("id", "kind", "record", "when", "do"), rows)


def show_record(show: Presenter, record: Mapping[str, object]) -> None:
    """Print every field of a memory that holds something."""
    for name, value in record.items():
        if value not in (None, "", [], {}):
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            show.line(f"{name:<18} {text}")
