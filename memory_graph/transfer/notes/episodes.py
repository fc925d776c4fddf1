"""An episode as a note, and a note as an episode."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta

from pydantic import JsonValue, ValidationError

from memory_graph.episodes.rendering import is_numbered
from memory_graph.errors import NoteError
from memory_graph.records import Decision, Episode, Event
from memory_graph.transfer.notes.layout import (
    Note,
    bullets,
    keep_exact,
    links,
    own_lines,
    permalink,
    problems_in,
    read_bullets,
    read_links,
    read_sections,
    restore,
    with_own_lines,
    write_body,
    write_note,
)

_DECISION = re.compile(r"^### (?P<id>[^:\n]+): (?P<title>.*)$", re.MULTILINE)
_FIELD = re.compile(r"^\*\*(\w+)\*\*: (.*)$")

_EVENT = re.compile(
    r"^(?P<number>\d+)\. (?:\[(?P<timestamp>[^\]]*)\] )?(?P<content>.*?)"
    r"(?: #(?P<type>\w+))?(?: \^(?P<id>\S+))?$"
)

_CAUSE = re.compile(r"^\[\[(?P<id>[^\]]+)\]\] (?P<field>caused_by|leads_to) (?P<ends>.+)$")
_BETWEEN_OPTIONS = "; "


def write_decisions(decisions: Sequence[Decision]) -> str:
    """Return one subsection per decision."""
    return "\n\n".join(
        "\n".join(
            [f"### {each.id}: {each.title or each.chosen}", bullets([*_decision_lines(each)])]
        )
        for each in decisions
    )


def read_decisions(text: str) -> list[JsonValue]:
    """Return decisions as they can be validated."""
    heads = list(_DECISION.finditer(text))
    ends = [*(head.start() for head in heads), len(text)][1:]
    return [
        _with_heading(head["id"], head["title"], _read_fields(text[head.end() : end]))
        for head, end in zip(heads, ends, strict=True)
    ]


def _with_heading(name: str, heading: str, fields: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return a decision with its heading: what was chosen, or a title of its own."""
    chosen = fields.get("chosen", heading)
    title = "" if heading == chosen else heading
    return {**fields, "id": name, "title": title, "chosen": chosen}


def write_events(events: Sequence[Event]) -> str:
    """Return the timeline, numbered; `^e001` names an event for links."""
    return "\n".join(
        f"{number}. {f'[{_iso(each)}] ' if each.timestamp else ''}{each.content} "
        f"#{each.type} ^{each.id}"
        for number, each in enumerate(events, 1)
    )


def write_causes(events: Sequence[Event]) -> str:
    """Return what led to events, and what they led to."""
    stated = (
        (each.id, field, ends)
        for each in events
        for field, ends in (("caused_by", each.caused_by), ("leads_to", each.leads_to))
    )
    return bullets([f"[[{name}]] {field} {links(ends)}" for name, field, ends in stated if ends])


def read_events(timeline: str, causes: str) -> list[JsonValue]:
    """Return events as they can be validated; an unnamed one is named by its number."""
    stated: dict[tuple[str, str], list[JsonValue]] = {}
    for line in read_bullets(causes):
        if cause := _CAUSE.match(line):
            stated[cause["id"], cause["field"]] = [*read_links(cause["ends"])]
    events: list[JsonValue] = []
    for line in timeline.split("\n"):
        if told := _EVENT.match(line):
            name = told["id"] or f"e{int(told['number']):03d}"
            event: dict[str, JsonValue] = {"id": name, "content": told["content"]}
            event |= {key: told[key] for key in ("timestamp", "type") if told[key]}
            event |= {f: e for (owner, f), e in stated.items() if owner == name}
            events.append(event)
    return events


def _decision_lines(decision: Decision) -> Iterator[str]:
    said = {
        "Timestamp": _iso(decision) if decision.timestamp else "",
        "Type": decision.type,
        "Context": decision.context,
        "Options": _BETWEEN_OPTIONS.join(decision.options),
        "Chosen": decision.chosen,
        "Rationale": decision.rationale,
        "Outcome": decision.outcome,
        "Effects": links(decision.effects),
    }
    return (f"**{name}**: {text}" for name, text in said.items() if text)


def _read_fields(text: str) -> dict[str, JsonValue]:
    lines = (_FIELD.match(line) for line in read_bullets(text))
    said: dict[str, str] = {line[1].lower(): line[2] for line in lines if line}
    fields: dict[str, JsonValue] = {name: value for name, value in said.items()}
    if "options" in said:
        between = _BETWEEN_OPTIONS if _BETWEEN_OPTIONS in said["options"] else ", "
        fields["options"] = [*said["options"].split(between)]
    if "effects" in said:
        fields["effects"] = [*read_links(said["effects"])]
    return fields


def _iso(step: Decision | Event) -> str:
    assert step.timestamp is not None
    return step.timestamp.isoformat()


_SHOWN = frozenset(
    {"title", "summary", "decisions", "events", "lessons", "next_steps", "note", "note_title"}
)
"""Fields that a note shows as text, or under another name."""

_REQUIRED = frozenset(
    {"Context", "Observations", "Decisions", "Events Timeline", "Lessons Learned", "Relations"}
)

_KNOWN = _REQUIRED | {"Causal Relationships", "Next Steps"}

_OURS = {
    "Observations": re.compile(r"- \[(?:decision|event):[^\]]*\] "),
    "Relations": re.compile(r"- continues \[\["),
}
"""Lines that follow from other fields, by heading."""

_TAG = "episodic"
_TODO = "[ ] "
_TITLE = re.compile(r"EPISODE-(?P<day>\d{4}-\d{2}-\d{2})")


def write_episode(episode: Episode, title: str, parent_title: str | None = None) -> str:
    """Return an episode as a note called `title`."""
    sections = with_own_lines(_sections(episode, parent_title), episode.note, _REQUIRED)
    body = write_body(title, sections, _REQUIRED)
    dumped = episode.model_dump(mode="json")
    dumped["metadata"].pop("tags")
    span = (episode.ended_at - episode.started_at).total_seconds()
    matter: dict[str, JsonValue] = {
        "title": title,
        "type": "episode",
        "tags": [_TAG, *episode.metadata.tags],
        "permalink": permalink(title),
        "outcome": episode.outcome,
        "task": episode.title,
        "duration_minutes": episode.metrics.get("duration_minutes", round(span / 60)),
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
    fields["note_title"] = matter.get("title")
    fields["metadata"] = {
        "session_id": _session(matter),
        **_mapping(matter.get("metadata")),
        "tags": _tags(matter),
    }
    try:
        return Episode.model_validate(fields)
    except ValidationError as error:
        raise NoteError(problems_in(error)) from error


def _sections(episode: Episode, parent_title: str | None) -> dict[str, str]:
    parent = parent_title or episode.parent_episode_id
    return {
        "Context": episode.summary,
        "Observations": bullets([*_observations(episode)]),
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
        "note": {**own_lines(sections, _KNOWN, _OURS)},
    }


def _observations(episode: Episode) -> Iterator[str]:
    yield from (f"[decision:{each.id}] {each.chosen} #{each.type}" for each in episode.decisions)
    yield from (f"[event:{each.id}] {each.content} #{each.type}" for each in episode.events)


def continued_title(note: Note) -> str | None:
    """Return the title of the episode that a note says it continues."""
    lines = read_bullets(note.sections.get("Relations", ""))
    named = [line for line in lines if line.startswith("continues ")]
    return next(iter(read_links(named[0])), None) if named else None


def _session(matter: Mapping[str, JsonValue]) -> str | None:
    """Return the session that a note written by hand is named after."""
    named = str(matter.get("title")).removeprefix("EPISODE-")
    return named if "id" not in matter and is_numbered(named) else None


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
