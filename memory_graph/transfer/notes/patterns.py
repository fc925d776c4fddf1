"""Convert a pattern to a Markdown note and back."""

import re
from collections.abc import Mapping
from datetime import datetime

from pydantic import JsonValue

from memory_graph.keys import stable_id
from memory_graph.patterns.evidence import normalise_name, success_rate
from memory_graph.patterns.search import pattern_title, render_record
from memory_graph.records import Observation, Pattern
from memory_graph.transfer.incoming import read_moment
from memory_graph.transfer.notes import layout

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
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
    seen = []
    for each in pattern.evidence:
        if each.episode_id:
            went = "worked" if each.success else "failed"
            went = went if each.rate is None else f"{each.rate:.0%} worked"
            seen.append(f"{layout.links([titles.get(each.episode_id, each.episode_id)])} {went}")
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
        "Evidence Episodes": layout.bullets(seen),
        "Anti-Pattern Warning": warning,
        "Relations": layout.bullets([f"part_of {layout.links(['causal memory'])}"]),
    }
    return FORM.write(pattern, title, sections, matter)


def read_pattern(
    note: layout.Note, now: datetime, titles: Mapping[str, str] | None = None
) -> Pattern:
    """Return the pattern in a note, ours or one written by hand in the same shape.

    Args:
        note: The note.
        now: When it is read.
        titles: The ids of episodes by title, in lower case, for the evidence that a note written
            by hand names.

    Raises:
        NoteError: If something in it does not fit a pattern.
    """
    matter, title = note.matter, str(note.matter.get("title"))
    last = read_moment(matter.get("last_validated"))
    rate = _number(matter.get("success_rate"))
    fields: layout.Matter = {
        "name": normalise_name(title),
        "kind": "antipattern" if title.startswith("ANTIPATTERN-") else "pattern",
        "successes": round(rate * _number(matter.get("occurrences"))),
        "last_validated_at": last.isoformat() if last else None,
        **dict.fromkeys(("created_at", "updated_at"), now.isoformat()),
        **FORM.read_note(note),
    }
    fields["trigger"] = fields["trigger"] or matter.get("trigger")
    pattern = FORM.validate(fields)
    if titles is None or "evidence" in matter:
        return pattern
    return _with_evidence(pattern, note, now, titles)


def _with_evidence(
    pattern: Pattern, note: layout.Note, now: datetime, titles: Mapping[str, str]
) -> Pattern:
    """Return the episodes that a note names, with counts that hold them, if it counts less."""
    lines = layout.read_bullets(note.sections.get("Evidence Episodes", ""))
    named = {each: "failed" not in line for line in lines for each in layout.read_links(line)[:1]}
    evidence = tuple(
        Observation(
            id=stable_id(pattern.name, title),
            success=worked,
            at=_day_of(title) or pattern.last_validated_at or now,
            episode_id=titles.get(title.strip().casefold()) or title,
        )
        for title, worked in named.items()
    )
    failures = sum(not each.success for each in evidence)
    failed = max(pattern.occurrences - pattern.successes, failures)
    worked = max(pattern.successes, len(evidence) - failures)
    counts = {"evidence": evidence, "successes": worked, "occurrences": int(worked + failed)}
    return pattern.model_copy(update=counts) if evidence else pattern


def _number(value: JsonValue) -> float:
    return value if isinstance(value, int | float) else 0


def _day_of(title: str) -> datetime | None:
    found = _DAY.search(title)
    return read_moment(found[0]) if found else None
