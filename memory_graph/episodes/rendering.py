"""Episodes, arcs and decisions as text for agents and terminals."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory_graph.episodes.store import RELEVANT, STATED
from memory_graph.records import Decision, Episode, Event, Fact
from memory_graph.safety.secrets import escape_in_full, escape_line
from memory_graph.store.collection import Found

_SHORT_ID = 11


LONGEST_EXCERPT = 500
"""Of an episode's words in a search result; `get_episode` has them in full."""


_MOST_POINTS = 6


def render_entry(episode: Episode) -> str:
    """Return an episode in two lines: when and what, and what came of it."""
    continues = f" (continues {short(episode.parent_episode_id)})" * bool(episode.parent_episode_id)
    lines = [f"[{episode.date_iso}] {escape_line(episode.title)}{continues} · id {episode.id}"]
    if (summary := escape_line(episode.summary)).rstrip(".") != episode.title.rstrip("."):
        lines.append(f"  {summary}")
    tags = ", ".join(map(escape_line, episode.metadata.tags)) or "none"
    lines.append(f"  Outcome: {episode.outcome} | Tags: {tags}")
    return "\n".join(lines)


_NUMBERED = re.compile(r"\d{4}-\d{2}-\d{2}-session-\w+")


def session_title(session_id: str) -> str:
    """Return what the note of a session is called: `EPISODE-2026-01-21-session-42`."""
    return f"EPISODE-{session_id.strip().removeprefix('EPISODE-').removeprefix('episode-')}"


def is_numbered(session_id: str | None) -> bool:
    """Return whether a session is named by its day and number, as notes are."""
    return bool(session_id and _NUMBERED.fullmatch(session_title(session_id)[len("EPISODE-") :]))


def permalink_of(session_id: str) -> str:
    """Return where the note of a session lives."""
    return f"episodes/{session_title(session_id).lower()}"


def render_hit(found: Found[Episode], arc: Sequence[Episode] = ()) -> str:
    """Return an episode that a search found: how well it fits, its words cut, its arc."""
    episode = found.record
    lines = [render_entry(episode), *_where(episode), *_people_and_tools(episode), *_free(episode)]
    told = _own_content(episode)
    if told and told != escape_line(episode.summary):
        lines.append(f"  Content: {_cut(told)}")
    if found.score:
        weak = "" if found.relevance >= RELEVANT else " (weak)"
        lines.append(f"  Strength: {found.relevance:.2f}{weak}")
    if arc:
        lines.append(f"  Arc: {' → '.join(_arc_part(each, episode) for each in arc)}")
    return "\n".join(lines)


def _own_content(episode: Episode) -> str:
    told = " ".join(escape_in_full(episode.content).split())
    return told if episode.summariser == STATED else ""


def _cut(text: str) -> str:
    more = len(text) - LONGEST_EXCERPT
    if more <= 0:
        return text
    return f"{text[:LONGEST_EXCERPT]}… ({more} more characters: get_episode)"


def _arc_part(each: Episode, named: Episode) -> str:
    mark = "this" if each.id == named.id else short(each.id)
    return f"[{each.date_iso}] {escape_line(each.title)} ({mark})"


def render_detail(episode: Episode, facts: Sequence[tuple[Fact, int, float]] = ()) -> str:
    """Return everything an episode tells, in full, with the facts that came out of it."""
    points = [
        *_when_and_where(episode),
        *(f"  {_decided(each)}" for each in episode.decisions),
        *(f"  {_happened(each)}" for each in episode.events),
        *(f"  Learned: {escape_line(each)}" for each in episode.lessons),
        *(f"  Next: {escape_line(each)}" for each in episode.next_steps),
        *(f"  {escape_line(name)} = {value:g}" for name, value in episode.metrics.items()),
        *(_people_and_tools(episode)),
        *_free(episode),
        *(
            f"  Fact {position} ({confidence:.0%}): {escape_line(fact.statement)} · id {fact.id}"
            for fact, position, confidence in facts
        ),
        f"  Linked facts: {len(episode.facts)}",
    ]
    content = escape_in_full(episode.content)
    return "\n".join(
        [render_entry(episode), *points, *(["  Content:", content] if content else [])]
    )


def _when_and_where(episode: Episode) -> Iterable[str]:
    yield f"  From {_moment(episode.started_at)} to {_moment(episode.ended_at)}, {episode.status}"
    yield from _where(episode)


def _where(episode: Episode) -> Iterable[str]:
    if episode.project:
        yield f"  Project: {escape_line(episode.project)}"
    if episode.metadata.session_id:
        yield f"  Session: {escape_line(episode.metadata.session_id)}"


def _free(episode: Episode) -> Iterable[str]:
    """Return what somebody named besides the known fields, as they gave it."""
    for name, value in episode.metadata.free.items():
        told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield f"  {escape_line(name)}: {escape_line(told)}"


def _decided(each: Decision) -> str:
    when = f" at {_moment(each.timestamp)}" if each.timestamp else ""
    about = f"{escape_line(each.title)}: " if each.title else ""
    more = {
        "because": each.rationale,
        "given": each.context,
        "among": ", ".join(each.options),
        "outcome": "" if each.outcome == "unknown" else each.outcome,
        "led to": ", ".join(each.effects),
    }
    told = "".join(f"; {word} {escape_line(text)}" for word, text in more.items() if text)
    return f"Decided ({each.id}, {each.type}{when}): {about}{escape_line(each.chosen)}{told}"


def _happened(each: Event) -> str:
    when = f" at {_moment(each.timestamp)}" if each.timestamp else ""
    causes = f"; caused by {', '.join(each.caused_by)}" if each.caused_by else ""
    onward = f"; led to {', '.join(each.leads_to)}" if each.leads_to else ""
    return f"{each.type} ({each.id}{when}): {escape_line(each.content)}{causes}{onward}"


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


def render_arc(episodes: Sequence[Episode]) -> str:
    """Return an arc in one paragraph: how long it ran, how it ended, what was decided."""
    first, last = episodes[0], episodes[-1]
    days = len({each.date_iso for each in episodes})
    told = (
        f"{len(episodes)} episode(s) on {days} day(s), {first.date_iso} to {last.date_iso}: "
        f"from {escape_line(first.title)!r} to {escape_line(last.title)!r}. "
        f"Outcome: {last.outcome}."
    )
    decided = [escape_line(d.chosen).rstrip(".") for each in episodes for d in each.decisions]
    learned = [escape_line(one).rstrip(".") for each in episodes for one in each.lessons]
    if decided:
        told += f" Decided: {'; '.join(decided[-_MOST_POINTS:])}."
    if learned:
        told += f" Learned: {'; '.join(learned[-_MOST_POINTS:])}."
    return told


def short(episode_id: str | None) -> str:
    """Return an id as people can type it."""
    return (episode_id or "")[:_SHORT_ID]


def _people_and_tools(episode: Episode) -> list[str]:
    told = episode.metadata
    named = (
        ("With", told.participants),
        ("Tools", told.tools_used),
        ("About", told.entities),
        ("Key decisions", told.key_decisions),
    )
    return [f"  {label}: {', '.join(map(escape_line, names))}" for label, names in named if names]


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


def render_decisions(episode: Episode) -> str:
    """Return the decisions in order, each with its outcome and effects, then broken links."""
    if not episode.decisions:
        return f"No decision is known from {escape_line(episode.title)!r} ({episode.date_iso})."
    lines = [f"{escape_line(episode.title)} ({episode.date_iso}, {episode.outcome}):"]
    lines += [_told(decision, episode) for decision in decision_sequence(episode)]
    if problems := find_link_problems(episode):
        broken = ", ".join(f"{each.source} {each.field} {each.target}" for each in problems)
        lines.append(f"Links that lead nowhere: {broken}.")
    return "\n".join(lines)


def _told(decision: Decision, episode: Episode) -> str:
    when = f"{decision.timestamp:%Y-%m-%d %H:%M}, " if decision.timestamp else ""
    parts = [f"- {decision.id} ({when}{decision.type}, {decision.outcome}): "]
    about = f"{escape_line(decision.title)}: " if decision.title else ""
    parts.append(f"{about}{escape_line(decision.chosen).rstrip('.')}.")
    if decision.options:
        parts.append(f" Options: {', '.join(map(escape_line, decision.options))}.")
    if decision.context:
        parts.append(f" When: {escape_line(decision.context).rstrip('.')}.")
    if decision.rationale:
        parts.append(f" Because: {escape_line(decision.rationale).rstrip('.')}.")
    if decision.effects:
        parts.append(f" Led to: {', '.join(_named(each, episode) for each in decision.effects)}.")
    return "".join(parts)


def _named(step_id: str, episode: Episode) -> str:
    """Return an effect's id with its words, where the episode has them."""
    texts = {each.id: each.chosen for each in episode.decisions}
    texts |= {each.id: each.content for each in episode.events}
    told = escape_line(texts.get(step_id, "")).rstrip(".")
    return f"{step_id} ({told})" if told else step_id
