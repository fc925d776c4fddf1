"""Patterns, and the paths between them, as text."""

from collections.abc import Sequence

from memory_graph.patterns.causes import Hop
from memory_graph.patterns.evidence import trust
from memory_graph.patterns.search import CausalPath
from memory_graph.records import Pattern
from memory_graph.safety.secrets import escape_for_prompt
from memory_graph.store.scope import UserMemory

_POLARITY = {
    "promotes": "makes {target} more likely",
    "prevents": "makes {target} less likely",
    "unknown": "may or may not lead to {target}: a step only correlates or contradicts itself",
}
_MOST_LISTED = 8


def pattern_title(pattern: Pattern) -> str:
    """Return what the note of a pattern is called: `PATTERN-retry-on-timeout`."""
    return f"{pattern.kind.upper()}-{pattern.name}"


def render_pattern(pattern: Pattern) -> str:
    """Return when a pattern applies, what to do then, and how well that worked."""
    advice = "do not" if pattern.kind == "antipattern" else "do"
    trigger = escape_for_prompt(pattern.trigger).rstrip(".")
    action = escape_for_prompt(pattern.action).rstrip(".")
    status = "" if pattern.status == "confirmed" else f"{pattern.status} "
    line = f"- {pattern.name} ({status}{pattern.kind}, {render_record(pattern)}): when {trigger}"
    related = ", ".join(f"{each.type} {each.target}" for each in pattern.relations)
    where = ", ".join(map(escape_for_prompt, pattern.projects))
    line += f", {advice}: {action}." if action else "."
    line += f" It {related}." if related else ""
    return f"{line} Only in: {where}." if where else line


def render_in_full(pattern: Pattern) -> str:
    """Return a pattern with why it holds, where it was seen, and when it was tried last."""
    seen = dict.fromkeys(each.episode_id for each in pattern.evidence if each.episode_id)
    tried = pattern.last_validated_at
    more = {
        "Why": escape_for_prompt(pattern.description),
        "Seen in": ", ".join(seen),
        "Last tried": f"{tried:%Y-%m-%d}" if tried else "",
    }
    return "\n".join([render_pattern(pattern), *(f"  {n}: {t}" for n, t in more.items() if t)])


def render_record(pattern: Pattern) -> str:
    """Return how often a pattern worked: `9 of 10 worked, trust 0.60`."""
    if not pattern.occurrences:
        return "never tried"
    worked = f"{round(pattern.successes, 3):g}"
    return f"{worked} of {pattern.occurrences} worked, trust {trust(pattern):.2f}"


async def warn_of_unknown_targets(memory: UserMemory, pattern: Pattern) -> str:
    """Return a warning of relations that lead to no known pattern; nothing where all do."""
    targets = dict.fromkeys(each.target for each in pattern.relations)
    known = await memory.patterns.find(targets)
    missing = ", ".join(each for each in targets if each not in known)
    return f"No pattern is called {missing} yet: add it, and paths lead there." if missing else ""


def render_path(path: CausalPath, source: str, target: str, max_depth: int) -> str:
    """Return the path between two patterns as they were asked for, or why there is none."""
    for asked, (name, choices) in ((source, path.source), (target, path.target)):
        if name is None and not choices:
            return f"No pattern is called {asked!r}. Look for its name first."
        if name is None:
            listed, more = ", ".join(choices[:_MOST_LISTED]), len(choices) - _MOST_LISTED
            return (
                f"{asked!r} could be {listed}{f' or {more} more' if more > 0 else ''}. Ask for one."
            )
    start, end = path.source.name, path.target.name
    if path.hops is None:
        answer = f"{start} does not lead to {end} within {max_depth} step(s)."
        broken = _steps(path.graph.broken[:_MOST_LISTED], ", ")
        return f"{answer} Broken relations: {broken}." if broken else answer
    if not path.hops:
        return f"{start} and {end} are the same pattern."
    effect = _POLARITY[path.polarity].format(target=end)
    return f"{_steps(path.hops, '; ')}. In {len(path.hops)} step(s), {start} {effect}."


def _steps(hops: Sequence[Hop], between: str) -> str:
    return between.join(f"{hop.source} {' and '.join(hop.types)} {hop.target}" for hop in hops)
