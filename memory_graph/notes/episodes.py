"""How does an episode become a note, and a note an episode?"""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta

from pydantic import JsonValue, ValidationError

from memory_graph.errors import NoteError
from memory_graph.notes.episode_body import (
    read_decisions,
    read_events,
    write_causes,
    write_decisions,
    write_events,
)
from memory_graph.notes.exactness import keep_exact, restore
from memory_graph.notes.layout import (
    Note,
    bullets,
    links,
    problems_in,
    read_bullets,
    read_sections,
    write_body,
    write_note,
)
from memory_graph.notes.names import permalink
from memory_graph.records import Episode

_SHOWN = frozenset({"title", "summary", "decisions", "events", "lessons", "next_steps"})
"""Fields that a note shows as text, or under another name."""

_TAG = "episodic"
_TODO = "[ ] "
_TITLE = re.compile(r"EPISODE-(?P<day>\d{4}-\d{2}-\d{2})")


def write_episode(episode: Episode, title: str, parent_title: str | None = None) -> str:
    """Return an episode as a note called `title`."""
    body = write_body(title, _sections(episode, parent_title))
    dumped = episode.model_dump(mode="json")
    dumped["metadata"].pop("tags")
    matter: dict[str, JsonValue] = {
        "title": title,
        "type": "episode",
        "tags": [_TAG, *episode.metadata.tags],
        "permalink": permalink(title),
        "outcome": episode.outcome,
        "task": episode.title,
        "duration_minutes": round((episode.ended_at - episode.started_at).total_seconds() / 60),
    }
    matter |= {name: value for name, value in dumped.items() if name not in _SHOWN}
    return write_note({**matter, **keep_exact(episode, _read(read_sections(body)))}, body)


def read_episode(note: Note) -> Episode:
    """Return the episode in a note, ours or one written by hand in the same shape.

    Raises:
        NoteError: If something in it does not fit an episode.
    """
    matter = note.matter
    fields = {**_for_a_foreign_note(matter), **matter, "title": matter.get("task")}
    fields |= restore(_read(note.sections), matter)
    fields["metadata"] = {**_mapping(matter.get("metadata")), "tags": _tags(matter)}
    try:
        return Episode.model_validate(fields)
    except ValidationError as error:
        raise NoteError(problems_in(error)) from error


def _sections(episode: Episode, parent_title: str | None) -> dict[str, str]:
    parent = parent_title or episode.parent_episode_id
    return {
        "Context": episode.summary,
        "Decisions": write_decisions(episode.decisions),
        "Events Timeline": write_events(episode.events),
        "Causal Relationships": write_causes(episode.events),
        "Lessons Learned": bullets(episode.lessons),
        "Next Steps": bullets([f"{_TODO}{step}" for step in episode.next_steps]),
        "Relations": bullets([f"continues {links([parent])}"] if parent else []),
    }


def _read(sections: Mapping[str, str]) -> dict[str, JsonValue]:
    """Return the fields that the readable part carries."""
    steps = read_bullets(sections.get("Next Steps", ""))
    return {
        "summary": sections.get("Context", ""),
        "decisions": read_decisions(sections.get("Decisions", "")),
        "events": read_events(
            sections.get("Events Timeline", ""), sections.get("Causal Relationships", "")
        ),
        "lessons": [*read_bullets(sections.get("Lessons Learned", ""))],
        "next_steps": [step.removeprefix(_TODO) for step in steps],
    }


def _for_a_foreign_note(matter: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return what only our own notes say, as far as the title tells it."""
    named = _TITLE.match(str(matter.get("title")))
    if named is None:
        raise NoteError("The title of an episode starts with `EPISODE-` and a date.")
    day = date.fromisoformat(named["day"])
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    minutes = matter.get("duration_minutes")
    end = start + timedelta(minutes=minutes if isinstance(minutes, int | float) else 0)
    week = day.isocalendar()
    when = f"On {day} (W{week.week:02d}, {week.year})"
    return {
        "id": str(matter.get("permalink") or matter["title"]).rpartition("/")[2].lower(),
        "human_line": f"{when} we discussed {matter.get('task')}.",
        **dict.fromkeys(("started_at", "created_at"), start.isoformat()),
        **dict.fromkeys(("ended_at", "updated_at"), end.isoformat()),
        "date_iso": day.isoformat(),
        "week": week.week,
        "year": week.year,
        "summariser": "note/1",
    }


def _tags(matter: Mapping[str, JsonValue]) -> list[JsonValue]:
    tags = matter.get("tags")
    listed = list(tags) if isinstance(tags, list) else []
    return listed[1:] if listed[:1] == [_TAG] else [tag for tag in listed if tag != _TAG]


def _mapping(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}
