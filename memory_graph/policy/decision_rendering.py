"""How are the decisions of an episode told, with what came of each?"""

from memory_graph.policy.decision_graph import decision_sequence, find_link_problems
from memory_graph.policy.rendering import harmless
from memory_graph.records import Decision, Episode


def render_decisions(episode: Episode) -> str:
    """Return the decisions in order, each with its outcome and effects, then broken links."""
    if not episode.decisions:
        return f"No decision is known from {harmless(episode.title)!r} ({episode.date_iso})."
    lines = [f"{harmless(episode.title)} ({episode.date_iso}, {episode.outcome}):"]
    lines += [_told(decision, episode) for decision in decision_sequence(episode)]
    if problems := find_link_problems(episode):
        broken = ", ".join(f"{each.source} {each.field} {each.target}" for each in problems)
        lines.append(f"Links that lead nowhere: {broken}.")
    return "\n".join(lines)


def _told(decision: Decision, episode: Episode) -> str:
    when = f"{decision.timestamp:%Y-%m-%d %H:%M}, " if decision.timestamp else ""
    parts = [f"- {decision.id} ({when}{decision.type}, {decision.outcome}): "]
    parts.append(f"{harmless(decision.chosen).rstrip('.')}.")
    if decision.context:
        parts.append(f" When: {harmless(decision.context).rstrip('.')}.")
    if decision.rationale:
        parts.append(f" Because: {harmless(decision.rationale).rstrip('.')}.")
    if decision.effects:
        parts.append(f" Led to: {', '.join(_named(each, episode) for each in decision.effects)}.")
    return "".join(parts)


def _named(step_id: str, episode: Episode) -> str:
    """Return an effect's id with its words, where the episode has them."""
    texts = {each.id: each.chosen for each in episode.decisions}
    texts |= {each.id: each.content for each in episode.events}
    told = harmless(texts.get(step_id, "")).rstrip(".")
    return f"{step_id} ({told})" if told else step_id
