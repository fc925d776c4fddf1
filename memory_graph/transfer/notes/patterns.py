"""A pattern as a note, and a note as a pattern."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import JsonValue, ValidationError

from memory_graph.errors import NoteError
from memory_graph.patterns.evidence import normalise_name, success_rate
from memory_graph.patterns.rendering import pattern_title, render_record
from memory_graph.records import Observation, Pattern, Relation
from memory_graph.transfer.incoming import read_moment
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

_SHOWN = frozenset({"trigger", "action", "description", "relations", "note"})
"""Fields that a note shows as text."""

_RELATION = re.compile(r"^(?P<type>causes|enables|prevents|correlates) (?P<target>\[\[.+\]\])$")
_REQUIRED = frozenset({"Context", "Trigger", "Action", "Relations"})
_KNOWN = _REQUIRED | {"Causal Relationships", "Anti-Pattern Warning"}

_OURS = {
    "Observations": re.compile(r"- \[evidence\] .* #metrics$"),
    "Evidence Episodes": re.compile(r"- \[\[[^\]]+\]\](?: (?:worked|failed|\d+% worked))?$"),
    "Relations": re.compile(r"- part_of \[\[causal memory\]\]$"),
}
"""Lines that follow from other fields, by heading."""


def write_pattern(pattern: Pattern, titles: Mapping[str, str]) -> str:
    """Return a pattern as a note that links to its relations and to where it was seen.

    Args:
        pattern: The pattern.
        titles: What the notes of episodes, by id, and of patterns, by name, are called.
    """
    title = pattern_title(pattern)
    sections = with_own_lines(_sections(pattern, titles), pattern.note, _REQUIRED)
    body = write_body(title, sections, _REQUIRED)
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


def read_pattern(note: Note, now: datetime, evidence: Sequence[Observation] = ()) -> Pattern:
    """Return the pattern in a note, ours or one written by hand in the same shape.

    Args:
        note: The note.
        now: When it is read.
        evidence: What the episodes tell that a note written by hand names.

    Raises:
        NoteError: If something in it does not fit a pattern.
    """
    readable = _read(note.sections)
    readable["trigger"] = readable["trigger"] or note.matter.get("trigger")
    fields = {**_for_a_foreign_note(note.matter, now), **note.matter}
    fields |= restore(readable, note.matter)
    if evidence and "evidence" not in note.matter:
        fields |= _counted(fields, evidence)
    try:
        return Pattern.model_validate(fields)
    except ValidationError as error:
        raise NoteError(problems_in(error)) from error


def _counted(
    fields: Mapping[str, JsonValue], evidence: Sequence[Observation]
) -> dict[str, JsonValue]:
    """Return the evidence with counts that hold it, where the front matter counts less."""
    tries, worked = fields.get("occurrences"), fields.get("successes")
    known_worked = worked if isinstance(worked, int | float) else 0
    failed = max(0, (tries if isinstance(tries, int) else 0) - known_worked)
    worked = max(known_worked, sum(each.success for each in evidence))
    failed = max(failed, sum(not each.success for each in evidence))
    return {
        "evidence": [each.model_dump(mode="json") for each in evidence],
        "successes": worked,
        "occurrences": int(worked + failed),
    }


def _sections(pattern: Pattern, titles: Mapping[str, str]) -> dict[str, str]:
    seen = [each for each in pattern.evidence if each.episode_id]
    avoid = f"Avoid this: {render_record(pattern)}." if pattern.kind == "antipattern" else ""
    return {
        "Context": pattern.description,
        "Trigger": pattern.trigger,
        "Action": pattern.action,
        "Observations": bullets([*_observations(pattern)]),
        "Causal Relationships": bullets(
            [f"{each.type} {links([_target(each, titles)])}" for each in pattern.relations]
        ),
        "Evidence Episodes": bullets(_evidence(seen, titles)),
        "Anti-Pattern Warning": avoid,
        "Relations": bullets([f"part_of {links(['causal memory'])}"]),
    }


def _target(relation: Relation, titles: Mapping[str, str]) -> str:
    """Return the title of the pattern that a relation leads to, so that its link resolves."""
    return titles.get(relation.target) or f"PATTERN-{relation.target}"


def _observations(pattern: Pattern) -> list[str]:
    rate = success_rate(pattern)
    counted = [f"[evidence] {pattern.occurrences} occurrences documented #metrics"]
    share = [] if rate is None else [f"[evidence] {rate:.0%} success rate #metrics"]
    return [*counted, *share, f"[evidence] {render_record(pattern)} #metrics"]


def _evidence(seen: Sequence[Observation], titles: Mapping[str, str]) -> list[str]:
    return [
        f"{links([titles.get(each.episode_id or '', each.episode_id or '')])} {_went(each)}"
        for each in seen
    ]


def _went(seen: Observation) -> str:
    if seen.rate is not None:
        return f"{seen.rate:.0%} worked"
    return "worked" if seen.success else "failed"


def seen_in(note: Note) -> list[tuple[str, bool]]:
    """Return the titles of the episodes that a note names as evidence, and whether it worked."""
    lines = read_bullets(note.sections.get("Evidence Episodes", ""))
    return [(each, "failed" not in line) for line in lines for each in read_links(line)[:1]]


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
        "note": {**own_lines(sections, _KNOWN, _OURS)},
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
