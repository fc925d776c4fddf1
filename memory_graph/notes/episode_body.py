"""How do the decisions and events of an episode read in a note?"""

import re
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from memory_graph.notes.layout import bullets, links, read_bullets, read_links
from memory_graph.records import Decision, Event

_DECISION = re.compile(r"^### (?P<id>[^:\n]+): (?P<chosen>.*)$", re.MULTILINE)
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
        "\n".join([f"### {each.id}: {each.chosen}", bullets(list(_decision_lines(each)))])
        for each in decisions
    )


def read_decisions(text: str) -> list[JsonValue]:
    """Return decisions as they can be validated."""
    heads = list(_DECISION.finditer(text))
    ends = [*(head.start() for head in heads), len(text)][1:]
    return [
        {**head.groupdict(), **_read_fields(text[head.end() : end])}
        for head, end in zip(heads, ends, strict=True)
    ]


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
        fields["options"] = [*said["options"].split(_BETWEEN_OPTIONS)]
    if "effects" in said:
        fields["effects"] = [*read_links(said["effects"])]
    return fields


def _iso(step: Decision | Event) -> str:
    assert step.timestamp is not None
    return step.timestamp.isoformat()
