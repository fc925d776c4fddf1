"""In which order were decisions made in an episode, and what came of each?"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory_graph.records import Decision, Episode, Event

LinkField = Literal["effects", "caused_by", "leads_to"]
LinkReason = Literal["unknown_id", "itself"]

_LONGEST_LABEL = 60
_ESCAPES = str.maketrans({'"': "#quot;", "<": "#lt;", ">": "#gt;", "#": "#35;", "\n": " "})


@dataclass(frozen=True)
class LinkProblem:
    """A link between decisions and events that leads nowhere."""

    source: str
    field: LinkField
    target: str
    reason: LinkReason


def find_link_problems(episode: Episode) -> tuple[LinkProblem, ...]:
    """Return the links of an episode whose other end does not exist in it."""
    known = {each.id for each in episode.decisions} | {each.id for each in episode.events}
    return tuple(
        LinkProblem(owner, field, target, "itself" if owner == target else "unknown_id")
        for owner, field, target in _stated_links(episode)
        if owner == target or target not in known
    )


def decision_sequence(episode: Episode) -> tuple[Decision, ...]:
    """Return the decisions by time with their links; an undated one stays after its elder."""
    dated: list[tuple[datetime, Decision]] = []
    latest = episode.started_at
    for decision in episode.decisions:
        latest = decision.timestamp or latest
        dated.append((latest, decision))
    return tuple(decision for _, decision in sorted(dated, key=lambda pair: pair[0]))


def causal_links(episode: Episode) -> tuple[tuple[str, str], ...]:
    """Return every cause and effect once, whichever of the two stated it."""
    links = (
        (target, owner) if field == "caused_by" else (owner, target)
        for owner, field, target in _stated_links(episode)
    )
    return tuple(dict.fromkeys(links))


def draw_mermaid(episode: Episode) -> str:
    """Return the causes and effects in an episode as a Mermaid flowchart."""
    links = causal_links(episode)
    steps: dict[str, Decision | Event] = {each.id: each for each in decision_sequence(episode)}
    steps |= {each.id: each for each in episode.events}
    missing = (end for link in links for end in link if end not in steps)
    numbers = {name: f"n{n}" for n, name in enumerate(dict.fromkeys((*steps, *missing)))}
    lines = ["flowchart TD"]
    lines += [f"    {number}{_shape(name, steps.get(name))}" for name, number in numbers.items()]
    lines += [f"    {numbers[cause]} --> {numbers[effect]}" for cause, effect in links]
    return "\n".join(lines)


def _stated_links(episode: Episode) -> Iterable[tuple[str, LinkField, str]]:
    for decision in episode.decisions:
        yield from ((decision.id, "effects", target) for target in decision.effects)
    for event in episode.events:
        yield from ((event.id, "caused_by", cause) for cause in event.caused_by)
        yield from ((event.id, "leads_to", target) for target in event.leads_to)


def _shape(name: str, step: Decision | Event | None) -> str:
    """Return a box for a decision, a rounded one for an event, a circle for what is missing."""
    if step is None:
        return f'(("{_label(name)}?"))'
    if isinstance(step, Decision):
        return f'["{_label(f"{name}: {step.chosen}")}"]'
    return f'(["{_label(f"{name}: {step.content}")}"])'


def _label(text: str) -> str:
    cut = text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 1].rstrip()}…"
    return cut.translate(_ESCAPES)
