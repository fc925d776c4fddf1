"""Convert a pattern to a Markdown note and back."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import JsonValue

from memory_graph.patterns.evidence import normalise_name, success_rate
from memory_graph.patterns.rendering import pattern_title, render_record
from memory_graph.records import Observation, Pattern
from memory_graph.transfer.incoming import read_moment
from memory_graph.transfer.notes import layout

_RELATION = re.compile(r"^(?P<type>causes|enables|prevents|correlates) (?P<target>\[\[.+\]\])$")


def _read(sections: layout.Sections) -> layout.Matter:
    stated = map(_RELATION.match, layout.read_bullets(sections.get("Causal Relationships", "")))
    return {
        "description": sections.get("Context", ""),
        "trigger": sections.get("Trigger", ""),
        "action": sections.get("Action", ""),
        "relations": [
            {"type": each["type"], "target": target}
            for each in stated
            if each
            for target in map(normalise_name, layout.read_links(each["target"]))
        ],
    }


FORM = layout.Form(
    record=Pattern,
    required=frozenset({"Context", "Trigger", "Action", "Relations"}),
    known=frozenset({"Causal Relationships", "Anti-Pattern Warning"}),
    ours={
        "Observations": re.compile(r"- \[evidence\] .* #metrics$"),
        "Evidence Episodes": re.compile(r"- \[\[[^\]]+\]\](?: (?:worked|failed|\d+% worked))?$"),
        "Relations": re.compile(r"- part_of \[\[causal memory\]\]$"),
    },
    shown=frozenset({"trigger", "action", "description", "relations", "note"}),
    read=_read,
)


def write_pattern(pattern: Pattern, titles: Mapping[str, str]) -> str:
    """Return a pattern as a note that links to its relations and to where it was seen.

    Args:
        pattern: The pattern.
        titles: What the notes of episodes, by id, and of patterns, by name, are called.
    """
    title, last, rate = pattern_title(pattern), pattern.last_validated_at, success_rate(pattern)
    matter: layout.Matter = {
        "title": title,
        "type": "pattern",
        "tags": ["causal", "pattern"],
        "permalink": layout.permalink(title),
        "trigger": pattern.trigger,
        "success_rate": round(rate or 0.0, 3),
        "occurrences": pattern.occurrences,
        "last_validated": last.date().isoformat() if last else None,
    }
    related = [
        f"{each.type} {layout.links([titles.get(each.target) or f'PATTERN-{each.target}'])}"
        for each in pattern.relations
    ]
    counted = [f"{pattern.occurrences} occurrences documented"]
    counted += [] if rate is None else [f"{rate:.0%} success rate"]
    counted.append(render_record(pattern))
    warning = f"Avoid this: {render_record(pattern)}." if pattern.kind == "antipattern" else ""
    sections = {
        "Context": pattern.description,
        "Trigger": pattern.trigger,
        "Action": pattern.action,
        "Observations": layout.bullets(f"[evidence] {each} #metrics" for each in counted),
        "Causal Relationships": layout.bullets(related),
        "Evidence Episodes": layout.bullets(_evidence(pattern.evidence, titles)),
        "Anti-Pattern Warning": warning,
        "Relations": layout.bullets([f"part_of {layout.links(['causal memory'])}"]),
    }
    return FORM.write(pattern, title, sections, matter)


def _evidence(evidence: Sequence[Observation], titles: Mapping[str, str]) -> list[str]:
    lines = []
    for each in evidence:
        if each.episode_id:
            went = "worked" if each.success else "failed"
            went = went if each.rate is None else f"{each.rate:.0%} worked"
            lines.append(f"{layout.links([titles.get(each.episode_id, each.episode_id)])} {went}")
    return lines


def seen_in(note: layout.Note) -> list[tuple[str, bool]]:
    """Return the titles of the episodes that a note names as evidence, and whether it worked."""
    lines = layout.read_bullets(note.sections.get("Evidence Episodes", ""))
    return [(each, "failed" not in line) for line in lines for each in layout.read_links(line)[:1]]


def read_pattern(note: layout.Note, now: datetime, evidence: Sequence[Observation] = ()) -> Pattern:
    """Return the pattern in a note, ours or one written by hand in the same shape.

    Args:
        note: The note.
        now: When it is read.
        evidence: What the episodes tell that a note written by hand names.

    Raises:
        NoteError: If something in it does not fit a pattern.
    """
    matter = note.matter
    fields = {**_for_a_foreign_note(matter, now), **FORM.read_note(note)}
    fields["trigger"] = fields["trigger"] or matter.get("trigger")
    if evidence and "evidence" not in matter:
        fields |= _counted(fields, evidence)
    return FORM.validate(fields)


def _counted(fields: layout.Matter, evidence: Sequence[Observation]) -> layout.Matter:
    """Return the evidence with counts that hold it, where the front matter counts less."""
    tries, worked = _number(fields.get("occurrences")), _number(fields.get("successes"))
    failed = max(0, tries - worked, sum(not each.success for each in evidence))
    worked = max(worked, sum(each.success for each in evidence))
    return {
        "evidence": [each.model_dump(mode="json") for each in evidence],
        "successes": worked,
        "occurrences": int(worked + failed),
    }


def _number(value: JsonValue) -> float:
    return value if isinstance(value, int | float) else 0


def _for_a_foreign_note(matter: Mapping[str, JsonValue], now: datetime) -> layout.Matter:
    """Return what only our own notes say, as far as the others tell it."""
    title = str(matter.get("title"))
    last = read_moment(matter.get("last_validated"))
    return {
        "name": normalise_name(title),
        "kind": "antipattern" if title.startswith("ANTIPATTERN-") else "pattern",
        "successes": round(
            _number(matter.get("success_rate")) * _number(matter.get("occurrences"))
        ),
        "last_validated_at": last.isoformat() if last else None,
        **dict.fromkeys(("created_at", "updated_at"), now.isoformat()),
    }
