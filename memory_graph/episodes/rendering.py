"""Episodes, arcs and decisions as text for agents and terminals."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory_graph.episodes.building import in_time
from memory_graph.episodes.store import RELEVANT, STATED
from memory_graph.language.words import shorten
from memory_graph.records import Decision, Episode, Event, Fact
from memory_graph.safety.secrets import escape_in_full, escape_line
from memory_graph.store.collection import Found

LONGEST_EXCERPT = 500
"""Of an episode's words in a search result; `get_episode` has them in full."""

_LONGEST_IN_REPLAY = 200
_SHORT_ID = 11
_MOST_POINTS = 6
_NUMBERED = re.compile(r"\d{4}-\d{2}-\d{2}-session-\w+")

LinkField = Literal["effects", "caused_by", "leads_to"]


def shown_beside_summary(episode: Episode) -> tuple[str, ...]:
    """Return what an agent is told of an episode in the memory block beside its summary."""
    return (*episode.lessons[:2], *episode.next_steps[:2])


def session_title(session_id: str) -> str:
    """Return what the note of a session is called: `EPISODE-2026-01-21-session-42`."""
    return f"EPISODE-{session_id.strip().removeprefix('EPISODE-').removeprefix('episode-')}"


def is_numbered(session_id: str | None) -> bool:
    """Return whether a session is named by its day and number, as notes are."""
    return bool(session_id and _NUMBERED.fullmatch(session_title(session_id)[len("EPISODE-") :]))


def permalink_of(session_id: str) -> str:
    """Return where the note of a session lives."""
    return f"episodes/{session_title(session_id).lower()}"


def render_entry(episode: Episode) -> str:
    """Return an episode in two lines: when and what, and what came of it."""
    parent = episode.parent_episode_id
    continues = f" (continues {parent[:_SHORT_ID]})" if parent else ""
    lines = [f"[{episode.date_iso}] {escape_line(episode.title)}{continues} · id {episode.id}"]
    if (summary := escape_line(episode.summary)).rstrip(".") != episode.title.rstrip("."):
        lines.append(f"  {summary}")
    tags = ", ".join(map(escape_line, episode.metadata.tags)) or "none"
    lines.append(f"  Outcome: {episode.outcome} | Tags: {tags}")
    return "\n".join(lines)


def render_replay(topic: str, episodes: Sequence[Episode]) -> str:
    """Return the history of a topic: a bullet an episode, oldest first."""
    lines = [f"Episode history for {escape_line(topic)!r} ({len(episodes)} episodes):"]
    for each in episodes:
        parent = each.parent_episode_id
        continues = f" (continues from {parent[:_SHORT_ID]})" if parent else ""
        lines += ["", f"• [{each.date_iso}] {escape_line(each.title)}{continues} · id {each.id}"]
        if each.summary:
            lines.append(f"  {shorten(escape_line(each.summary), _LONGEST_IN_REPLAY)}")
        tags = ", ".join(map(escape_line, each.metadata.tags))
        lines.append(f"  {f'Tags: {tags} | ' if tags else ''}Outcome: {each.outcome}")
    return "\n".join(lines)


def render_line(episode: Episode) -> str:
    """Return an episode in one line: its day, how much it teaches, its goal, its outcome."""
    goal = escape_line(episode.goal or episode.title).rstrip(".")
    return f"- ({episode.date_iso}, episode, {episode.quality}) {goal}. Outcome: {episode.outcome}"


def render_hit(found: Found[Episode], arc: Sequence[Episode] = ()) -> str:
    """Return an episode that a search found: how well it fits, its words cut, its arc."""
    episode = found.record
    lines = [render_entry(episode), *_where(episode), *_who(episode)]
    told = " ".join(escape_in_full(episode.content).split())
    if episode.summariser == STATED and told and told != escape_line(episode.summary):
        more = len(told) - LONGEST_EXCERPT
        cut = f"{told[:LONGEST_EXCERPT]}… ({more} more characters: get_episode)"
        lines.append(f"  Content: {cut if more > 0 else told}")
    if found.score:
        weak = "" if found.relevance >= RELEVANT else " (weak)"
        lines.append(f"  Strength: {found.relevance:.2f}{weak}")
    parts = [
        f"[{e.date_iso}] {escape_line(e.title)} "
        f"({'this' if e.id == episode.id else e.id[:_SHORT_ID]})"
        for e in arc
    ]
    return "\n".join([*lines, *([f"  Arc: {' → '.join(parts)}"] if parts else [])])


def render_detail(episode: Episode, facts: Sequence[tuple[Fact, int, float]] = ()) -> str:
    """Return everything an episode tells, in full, with the facts that came out of it."""
    lines = [
        render_entry(episode),
        f"  From {_moment(episode.started_at)} to {_moment(episode.ended_at)}, {episode.status}",
        *_where(episode),
        *([f"  {render_line(episode)}"] if episode.goal else []),
        *map(_decided, episode.decisions),
        *map(_happened, episode.events),
        *(f"  Learned: {escape_line(each)}" for each in episode.lessons),
        *(f"  Next: {escape_line(each)}" for each in episode.next_steps),
        *(f"  {escape_line(name)} = {value:g}" for name, value in episode.metrics.items()),
        *_who(episode),
        *(
            f"  Fact {position} ({confidence:.0%}): {escape_line(fact.statement)} · id {fact.id}"
            for fact, position, confidence in facts
        ),
        f"  Linked facts: {len(episode.facts)}",
    ]
    content = escape_in_full(episode.content)
    return "\n".join([*lines, *(["  Content:", content] if content else [])])


def _where(episode: Episode) -> Iterable[str]:
    named = {"Project": episode.project, "Session": episode.metadata.session_id}
    return [f"  {label}: {escape_line(name)}" for label, name in named.items() if name]


def _who(episode: Episode) -> Iterable[str]:
    """Return people, tools and things, and what somebody named besides, as they gave it."""
    told = episode.metadata
    named = {
        "With": told.participants,
        "Tools": told.tools_used,
        "About": told.entities,
        "Key decisions": told.key_decisions,
    }
    for label, names in named.items():
        if names:
            yield f"  {label}: {', '.join(map(escape_line, names))}"
    for name, value in told.free.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield f"  {escape_line(name)}: {escape_line(text)}"


def _decided(each: Decision) -> str:
    about = f"{escape_line(each.title)}: " if each.title else ""
    more = {
        "because": each.rationale,
        "given": each.context,
        "among": ", ".join(each.options),
        "outcome": "" if each.outcome == "unknown" else each.outcome,
        "led to": ", ".join(each.effects),
    }
    told = "".join(f"; {word} {escape_line(text)}" for word, text in more.items() if text)
    return f"  Decided ({each.id}, {each.type}{_at(each)}): {about}{escape_line(each.chosen)}{told}"


def _happened(each: Event) -> str:
    causes = f"; caused by {', '.join(each.caused_by)}" if each.caused_by else ""
    onward = f"; led to {', '.join(each.leads_to)}" if each.leads_to else ""
    return f"  {each.type} ({each.id}{_at(each)}): {escape_line(each.content)}{causes}{onward}"


def _at(step: Decision | Event) -> str:
    return f" at {_moment(step.timestamp)}" if step.timestamp else ""


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
    points = {
        "Decided": [each.chosen for episode in episodes for each in episode.decisions],
        "Learned": [each for episode in episodes for each in episode.lessons],
    }
    for label, texts in points.items():
        if texts:
            listed = (escape_line(each).rstrip(".") for each in texts[-_MOST_POINTS:])
            told += f" {label}: {'; '.join(listed)}."
    return told


@dataclass(frozen=True)
class LinkProblem:
    """A link between decisions and events that leads nowhere."""

    source: str
    field: LinkField
    target: str
    reason: Literal["unknown_id", "itself"]


def _stated_links(episode: Episode) -> Iterable[tuple[str, LinkField, str]]:
    for decision in episode.decisions:
        yield from ((decision.id, "effects", target) for target in decision.effects)
    for event in episode.events:
        yield from ((event.id, "caused_by", cause) for cause in event.caused_by)
        yield from ((event.id, "leads_to", target) for target in event.leads_to)


def find_link_problems(episode: Episode) -> tuple[LinkProblem, ...]:
    """Return the links of an episode whose other end does not exist in it."""
    known = {each.id for each in episode.decisions} | {each.id for each in episode.events}
    return tuple(
        LinkProblem(owner, field, target, "itself" if owner == target else "unknown_id")
        for owner, field, target in _stated_links(episode)
        if owner == target or target not in known
    )


def render_link_problems(episode: Episode) -> list[str]:
    """Return one line about links that lead nowhere, if there are any."""
    problems = find_link_problems(episode)
    broken = ", ".join(f"{each.source} {each.field} {each.target}" for each in problems)
    return [f"Links that lead nowhere: {broken}."] if problems else []


def causal_links(episode: Episode) -> tuple[tuple[str, str], ...]:
    """Return every cause and effect once, whichever of the two stated it."""
    links = (
        (target, owner) if field == "caused_by" else (owner, target)
        for owner, field, target in _stated_links(episode)
    )
    return tuple(dict.fromkeys(links))


def decision_sequence(episode: Episode) -> tuple[Decision, ...]:
    """Return the decisions by time with their links; an undated one stays after its elder."""
    return in_time(episode.decisions)


def render_decisions(episode: Episode) -> str:
    """Return the decisions in order, each with its outcome and effects, then broken links."""
    if not episode.decisions:
        return f"No decision is known from {escape_line(episode.title)!r} ({episode.date_iso})."
    texts = {each.id: each.chosen for each in episode.decisions}
    texts |= {each.id: each.content for each in episode.events}
    lines = [f"{escape_line(episode.title)} ({episode.date_iso}, {episode.outcome}):"]
    for each in decision_sequence(episode):
        when = f"{each.timestamp:%Y-%m-%d %H:%M}, " if each.timestamp else ""
        about = f"{escape_line(each.title)}: " if each.title else ""
        effects = [
            f"{effect} ({told})"
            if (told := escape_line(texts.get(effect, "")).rstrip("."))
            else effect
            for effect in each.effects
        ]
        more = {
            "Options": ", ".join(map(escape_line, each.options)),
            "When": escape_line(each.context).rstrip("."),
            "Because": escape_line(each.rationale).rstrip("."),
            "Led to": ", ".join(effects),
        }
        told = "".join(f" {label}: {text}." for label, text in more.items() if text)
        chosen = escape_line(each.chosen).rstrip(".")
        lines.append(f"- {each.id} ({when}{each.type}, {each.outcome}): {about}{chosen}.{told}")
    return "\n".join([*lines, *render_link_problems(episode)])
