"""How is a pattern told on one line?"""

from collections.abc import Iterable

from memory_graph.policy.causal_graph import Hop, Link
from memory_graph.policy.causality import success_rate, trust
from memory_graph.policy.rendering import harmless
from memory_graph.records import Pattern

_POLARITY = {
    "promotes": "makes {target} more likely",
    "prevents": "makes {target} less likely",
    "unknown": "may or may not lead to {target}: a step only correlates or contradicts itself",
}


def render_pattern(pattern: Pattern) -> str:
    """Return when a pattern applies, what to do then, and how well that worked."""
    advice = "do not" if pattern.kind == "antipattern" else "do"
    trigger, action = (harmless(each).rstrip(".") for each in (pattern.trigger, pattern.action))
    status = "" if pattern.status == "confirmed" else f"{pattern.status} "
    told = f"{status}{pattern.kind}, {render_record(pattern)}"
    line = f"- {pattern.name} ({told}): when {trigger}{f', {advice}: {action}' if action else ''}."
    related = ", ".join(f"{each.type} {each.target}" for each in pattern.relations)
    return f"{line} It {related}." if related else line


def render_record(pattern: Pattern) -> str:
    """Return how often a pattern worked: `9 of 10 worked, trust 0.60`."""
    rate = success_rate(pattern)
    if rate is None:
        return "never tried"
    return f"{pattern.successes} of {pattern.occurrences} worked, trust {trust(pattern):.2f}"


def render_path(path: tuple[Hop, ...], polarity: str) -> str:
    """Return a path step by step, and what it comes to."""
    steps = "; ".join(f"{hop.source} {' and '.join(hop.types)} {hop.target}" for hop in path)
    effect = _POLARITY[polarity].format(target=path[-1].target)
    return f"{steps}. In {len(path)} step(s), {path[0].source} {effect}."


def render_broken(links: Iterable[Link]) -> str:
    """Return relations whose target is not known."""
    return ", ".join(f"{link.source} {link.type} {link.target}" for link in links)
