"""Convert an episode to a Markdown note and back."""

import re
from datetime import timedelta

from pydantic import JsonValue

from memory_graph.episodes.building import dated
from memory_graph.episodes.rendering import is_numbered
from memory_graph.errors import NoteError
from memory_graph.records import Decision, Episode
from memory_graph.transfer.incoming import read_moment
from memory_graph.transfer.notes import layout

_DECISION = re.compile(r"^### (?P<id>[^:\n]+): (?P<title>.*)$", re.MULTILINE)
_FIELD = re.compile(r"^\*\*(\w+)\*\*: (.*)$")
_EVENT = re.compile(
    r"^(?P<number>\d+)\. (?:\[(?P<timestamp>[^\]]*)\] )?(?P<content>.*?)"
    r"(?: #(?P<type>\w+))?(?: \^(?P<id>\S+))?$"
)
_CAUSE = re.compile(r"^\[\[(?P<id>[^\]]+)\]\] (?P<field>caused_by|leads_to) (?P<ends>.+)$")
_TITLE = re.compile(r"EPISODE-(?P<day>\d{4}-\d{2}-\d{2})")
_BETWEEN_OPTIONS = "; "
_TAG = "episodic"
_TODO = "[ ] "


def read_decisions(text: str) -> list[JsonValue]:
    """Return decisions as they can be validated; a heading is a title, or what was chosen."""
    heads = list(_DECISION.finditer(text))
    ends = [*(head.start() for head in heads), len(text)][1:]
    decisions: list[JsonValue] = []
    for head, end in zip(heads, ends, strict=True):
        lines = map(_FIELD.match, layout.read_bullets(text[head.end() : end]))
        fields: layout.Matter = {line[1].lower(): line[2] for line in lines if line}
        chosen, options = fields.setdefault("chosen", head["title"]), fields.get("options")
        if isinstance(options, str):
            between = _BETWEEN_OPTIONS if _BETWEEN_OPTIONS in options else ", "
            fields["options"] = [*options.split(between)]
        if "effects" in fields:
            fields["effects"] = [*layout.read_links(str(fields["effects"]))]
        title = "" if head["title"] == chosen else head["title"]
        decisions.append({**fields, "id": head["id"], "title": title})
    return decisions


def _read_events(timeline: str, causes: str) -> list[JsonValue]:
    """Return events as they can be validated; an unnamed one is named by its number."""
    stated: dict[str, layout.Matter] = {}
    for line in layout.read_bullets(causes):
        if cause := _CAUSE.match(line):
            stated.setdefault(cause["id"], {})[cause["field"]] = [*layout.read_links(cause["ends"])]
    events: list[JsonValue] = []
    for line in timeline.split("\n"):
        if event := _EVENT.match(line):
            name = event["id"] or f"e{int(event['number']):03d}"
            fields = {key: event[key] for key in ("timestamp", "type") if event[key]}
            events.append(
                {"id": name, "content": event["content"], **fields, **stated.get(name, {})}
            )
    return events


def _read(sections: layout.Sections) -> layout.Matter:
    steps = layout.read_bullets(sections.get("Next Steps", ""))
    timeline, causes = sections.get("Events Timeline", ""), sections.get("Causal Relationships", "")
    return {
        "summary": sections.get("Context", ""),
        "decisions": read_decisions(sections.get("Decisions", "")),
        "events": _read_events(timeline, causes),
        "lessons": [*layout.read_bullets(sections.get("Lessons Learned", ""))],
        "next_steps": [step.removeprefix(_TODO) for step in steps],
    }


FORM = layout.Form(
    record=Episode,
    required=frozenset(
        {"Context", "Observations", "Decisions", "Events Timeline", "Lessons Learned", "Relations"}
    ),
    known=frozenset({"Causal Relationships", "Next Steps"}),
    ours={
        "Observations": re.compile(r"- \[(?:decision|event):[^\]]*\] "),
        "Relations": re.compile(r"- continues \[\["),
    },
    shown=frozenset(
        {"title", "summary", "decisions", "events", "lessons", "next_steps", "note", "note_title"}
    ),
    read=_read,
)


def write_episode(episode: Episode, title: str, parent_title: str | None = None) -> str:
    """Return an episode as a note called `title`."""
    span = (episode.ended_at - episode.started_at).total_seconds()
    matter: layout.Matter = {
        "title": title,
        "type": "episode",
        "tags": [_TAG, *episode.metadata.tags],
        "permalink": layout.permalink(title),
        "outcome": episode.outcome,
        "task": episode.title,
        "duration_minutes": episode.metrics.get("duration_minutes", round(span / 60)),
        "metadata": episode.metadata.model_dump(mode="json", exclude={"tags"}),
    }
    seen = [f"[decision:{each.id}] {each.chosen} #{each.type}" for each in episode.decisions]
    seen += [f"[event:{each.id}] {each.content} #{each.type}" for each in episode.events]
    timeline = []  # numbered; `^e001` names an event for links
    for number, each in enumerate(episode.events, 1):
        when = f"[{each.timestamp.isoformat()}] " if each.timestamp else ""
        timeline.append(f"{number}. {when}{each.content} #{each.type} ^{each.id}")
    parent = parent_title or episode.parent_episode_id
    sections = {
        "Context": episode.summary,
        "Observations": layout.bullets(seen),
        "Decisions": "\n\n".join(map(_write_decision, episode.decisions)),
        "Events Timeline": "\n".join(timeline),
        "Causal Relationships": layout.bullets(
            f"[[{each.id}]] {field} {layout.links(ends)}"
            for each in episode.events
            for field, ends in (("caused_by", each.caused_by), ("leads_to", each.leads_to))
            if ends
        ),
        "Lessons Learned": layout.bullets(episode.lessons),
        "Next Steps": layout.bullets(f"{_TODO}{step}" for step in episode.next_steps),
        "Relations": layout.bullets([f"continues {layout.links([parent])}"] if parent else []),
    }
    return FORM.write(episode, title, sections, matter)


def _write_decision(decision: Decision) -> str:
    said = {
        "Timestamp": decision.timestamp.isoformat() if decision.timestamp else "",
        "Type": decision.type,
        "Context": decision.context,
        "Options": _BETWEEN_OPTIONS.join(decision.options),
        "Chosen": decision.chosen,
        "Rationale": decision.rationale,
        "Outcome": decision.outcome,
        "Effects": layout.links(decision.effects),
    }
    lines = layout.bullets(f"**{name}**: {text}" for name, text in said.items() if text)
    return f"### {decision.id}: {decision.title or decision.chosen}\n{lines}"


def read_episode(note: layout.Note) -> Episode:
    """Return the episode in a note, ours or one written by hand in the same shape.

    What only our own notes say, the title of another one tells.

    Raises:
        NoteError: If something in it does not fit an episode.
    """
    matter, title = note.matter, str(note.matter.get("title"))
    named = _TITLE.match(title)
    start = read_moment(named["day"]) if named else None
    if start is None:
        raise NoteError("The title of an episode starts with `EPISODE-` and a date.")
    minutes, tags, metadata = map(matter.get, ("duration_minutes", "tags", "metadata"))
    end = start + timedelta(minutes=minutes if isinstance(minutes, int | float) else 0)
    listed = list(tags) if isinstance(tags, list) else []
    if _TAG in listed:  # only ours; a person may tag an episode so, too
        listed.remove(_TAG)
    session = title.removeprefix("EPISODE-")
    fields: layout.Matter = {
        "id": str(matter.get("permalink") or title).rpartition("/")[2].lower(),
        **dated(start, str(matter.get("task"))),
        **dict.fromkeys(("started_at", "created_at"), start.isoformat()),
        **dict.fromkeys(("ended_at", "updated_at"), end.isoformat()),
        "summariser": "note/1",
        **FORM.read_note(note),
        "title": matter.get("task"),
        "note_title": matter.get("title"),
        "metadata": {
            "session_id": session if "id" not in matter and is_numbered(session) else None,
            **(metadata if isinstance(metadata, dict) else {}),
            "tags": listed,
        },
    }
    return FORM.validate(fields)


def continued_title(note: layout.Note) -> str | None:
    """Return the title of the episode that a note says it continues."""
    lines = layout.read_bullets(note.sections.get("Relations", ""))
    named = [line for line in lines if line.startswith("continues ")]
    return next(iter(layout.read_links(named[0])), None) if named else None
