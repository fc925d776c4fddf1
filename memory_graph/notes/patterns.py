"""How does a pattern become a note, and a note a pattern?"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import JsonValue, ValidationError

from memory_graph.errors import NoteError
from memory_graph.notes.exactness import keep_exact, restore
from memory_graph.notes.layout import (
    Note,
    bullets,
    links,
    problems_in,
    read_bullets,
    read_links,
    read_sections,
    write_body,
    write_note,
)
from memory_graph.notes.names import pattern_title, permalink
from memory_graph.policy.causality import success_rate
from memory_graph.policy.moments import read_moment
from memory_graph.policy.pattern_names import normalise_name
from memory_graph.policy.pattern_rendering import render_record
from memory_graph.records import Observation, Pattern

_SHOWN = frozenset({"trigger", "action", "description", "relations"})
"""Fields that a note shows as text."""

_RELATION = re.compile(r"^(?P<type>causes|enables|prevents|correlates) (?P<target>\[\[.+\]\])$")


def write_pattern(pattern: Pattern, episode_titles: Mapping[str, str]) -> str:
    """Return a pattern as a note that links to the episodes it was seen in."""
    title = pattern_title(pattern)
    body = write_body(title, _sections(pattern, episode_titles))
    last = pattern.last_validated_at
    matter: dict[str, JsonValue] = {
        "title": title,
        "type": "pattern",
        "tags": ["causal", "pattern"],
        "permalink": permalink(title),
        "trigger": pattern.trigger,
        "success_rate": round(success_rate(pattern) or 0.0, 3),
        "occurrences": pattern.occurrences,
        "last_validated": last.date().isoformat() if last else None,
    }
    dumped = pattern.model_dump(mode="json")
    matter |= {name: value for name, value in dumped.items() if name not in _SHOWN}
    return write_note({**matter, **keep_exact(pattern, _read(read_sections(body)))}, body)


def read_pattern(note: Note, now: datetime) -> Pattern:
    """Return the pattern in a note, ours or one written by hand in the same shape.

    Raises:
        NoteError: If something in it does not fit a pattern.
    """
    readable = _read(note.sections)
    readable["trigger"] = readable["trigger"] or note.matter.get("trigger")
    fields = {**_for_a_foreign_note(note.matter, now), **note.matter}
    fields |= restore(readable, note.matter)
    try:
        return Pattern.model_validate(fields)
    except ValidationError as error:
        raise NoteError(problems_in(error)) from error


def _sections(pattern: Pattern, titles: Mapping[str, str]) -> dict[str, str]:
    seen = [each for each in pattern.evidence if each.episode_id]
    avoid = f"Avoid this: {render_record(pattern)}." if pattern.kind == "antipattern" else ""
    return {
        "Context": pattern.description,
        "Trigger": pattern.trigger,
        "Action": pattern.action,
        "Observations": bullets([f"[evidence] {render_record(pattern)} #metrics"]),
        "Causal Relationships": bullets(
            [f"{each.type} {links([each.target])}" for each in pattern.relations]
        ),
        "Evidence Episodes": bullets(_evidence(seen, titles)),
        "Anti-Pattern Warning": avoid,
        "Relations": bullets([f"part_of {links(['causal memory'])}"]),
    }


def _evidence(seen: Sequence[Observation], titles: Mapping[str, str]) -> list[str]:
    return [
        f"{links([titles.get(each.episode_id or '', each.episode_id or '')])} "
        f"{'worked' if each.success else 'failed'}"
        for each in seen
    ]


def _read(sections: Mapping[str, str]) -> dict[str, JsonValue]:
    """Return the fields that the readable part carries."""
    stated = map(_RELATION.match, read_bullets(sections.get("Causal Relationships", "")))
    return {
        "description": sections.get("Context", ""),
        "trigger": sections.get("Trigger", ""),
        "action": sections.get("Action", ""),
        "relations": [
            {"type": each["type"], "target": target}
            for each in stated
            if each
            for target in map(normalise_name, read_links(each["target"]))
        ],
    }


def _for_a_foreign_note(matter: Mapping[str, JsonValue], now: datetime) -> dict[str, JsonValue]:
    """Return what only our own notes say, as far as the others tell it."""
    title = str(matter.get("title"))
    tries, rate = matter.get("occurrences"), matter.get("success_rate")
    last = read_moment(matter.get("last_validated"))
    worked = 0
    if isinstance(tries, int) and isinstance(rate, int | float):
        worked = round(rate * tries)
    return {
        "name": normalise_name(title),
        "kind": "antipattern" if title.startswith("ANTIPATTERN-") else "pattern",
        "successes": worked,
        "last_validated_at": last.isoformat() if last else None,
        **dict.fromkeys(("created_at", "updated_at"), now.isoformat()),
    }
