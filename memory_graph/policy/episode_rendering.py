"""How does an agent, or a person at a terminal, read episodes and arcs?"""

from collections.abc import Sequence

from memory_graph.policy.rendering import harmless
from memory_graph.records import Episode, Fact

_SHORT_ID = 11
_MOST_POINTS = 6


def render_entry(episode: Episode) -> str:
    """Return an episode in two lines: when and what, and what came of it."""
    continues = f" (continues {short(episode.parent_episode_id)})" * bool(episode.parent_episode_id)
    lines = [f"[{episode.date_iso}] {harmless(episode.title)}{continues} · id {episode.id}"]
    lines.append(f"  {harmless(episode.summary)}")
    tags = ", ".join(map(harmless, episode.metadata.tags)) or "none"
    lines.append(f"  Outcome: {episode.outcome} | Tags: {tags}")
    return "\n".join(lines)


def render_detail(episode: Episode, facts: Sequence[tuple[Fact, int, float]] = ()) -> str:
    """Return everything an episode tells, with the facts that came out of it."""
    points = [
        *(f"  Decided ({each.id}): {harmless(each.chosen)}" for each in episode.decisions),
        *(f"  {each.type} ({each.id}): {harmless(each.content)}" for each in episode.events),
        *(f"  Learned: {harmless(each)}" for each in episode.lessons),
        *(f"  Next: {harmless(each)}" for each in episode.next_steps),
        *(f"  {harmless(name)} = {value:g}" for name, value in episode.metrics.items()),
        *(_people_and_tools(episode)),
        *(
            f"  Fact {position} ({confidence:.0%}): {harmless(fact.statement)} · id {fact.id}"
            for fact, position, confidence in facts
        ),
    ]
    return "\n".join([render_entry(episode), *points])


def render_arc(episodes: Sequence[Episode]) -> str:
    """Return an arc in one paragraph: how long it ran, how it ended, what was decided."""
    first, last = episodes[0], episodes[-1]
    days = len({each.date_iso for each in episodes})
    told = (
        f"{len(episodes)} episode(s) on {days} day(s), {first.date_iso} to {last.date_iso}: "
        f"from {harmless(first.title)!r} to {harmless(last.title)!r}. Outcome: {last.outcome}."
    )
    decided = [harmless(d.chosen).rstrip(".") for each in episodes for d in each.decisions]
    learned = [harmless(one).rstrip(".") for each in episodes for one in each.lessons]
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
    named = (("With", told.participants), ("Tools", told.tools_used), ("About", told.entities))
    return [f"  {label}: {', '.join(map(harmless, names))}" for label, names in named if names]
