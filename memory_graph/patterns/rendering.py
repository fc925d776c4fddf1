"""A pattern as one line of text."""

from collections.abc import Iterable

from memory_graph.patterns.causes import Hop, Link
from memory_graph.patterns.evidence import DraftProblem, Resolution, success_rate, trust
from memory_graph.patterns.search import CausalPath
from memory_graph.records import Pattern
from memory_graph.safety.secrets import escape_for_prompt
from memory_graph.store.scope import UserMemory

_POLARITY = {
    "promotes": "makes {target} more likely",
    "prevents": "makes {target} less likely",
    "unknown": "may or may not lead to {target}: a step only correlates or contradicts itself",
}

_TITLES = {"pattern": "PATTERN", "antipattern": "ANTIPATTERN"}


def pattern_title(pattern: Pattern) -> str:
    """Return what the note of a pattern is called: `PATTERN-retry-on-timeout`."""
    return f"{_TITLES[pattern.kind]}-{pattern.name}"


def render_pattern(pattern: Pattern) -> str:
    """Return when a pattern applies, what to do then, and how well that worked."""
    advice = "do not" if pattern.kind == "antipattern" else "do"
    trigger, action = (
        escape_for_prompt(each).rstrip(".") for each in (pattern.trigger, pattern.action)
    )
    status = "" if pattern.status == "confirmed" else f"{pattern.status} "
    told = f"{status}{pattern.kind}, {render_record(pattern)}"
    line = f"- {pattern.name} ({told}): when {trigger}{f', {advice}: {action}' if action else ''}."
    related = ", ".join(f"{each.type} {each.target}" for each in pattern.relations)
    where = f" Only in: {', '.join(map(escape_for_prompt, pattern.projects))}."
    told = f"{line} It {related}." if related else line
    return told + where * bool(pattern.projects)


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


async def tell_unknown_targets(memory: UserMemory, pattern: Pattern) -> str:
    """Return a warning of relations that lead to no known pattern; nothing where all do."""
    targets = dict.fromkeys(each.target for each in pattern.relations)
    known = await memory.patterns.find(targets)
    missing = [each for each in targets if each not in known]
    if not missing:
        return ""
    return f"No pattern is called {', '.join(missing)} yet: add it, and paths lead there."


def render_record(pattern: Pattern) -> str:
    """Return how often a pattern worked: `9 of 10 worked, trust 0.60`."""
    rate = success_rate(pattern)
    if rate is None:
        return "never tried"
    worked = f"{round(pattern.successes, 3):g}"
    return f"{worked} of {pattern.occurrences} worked, trust {trust(pattern):.2f}"


def render_path(path: tuple[Hop, ...], polarity: str) -> str:
    """Return a path step by step, and what it comes to."""
    steps = "; ".join(f"{hop.source} {' and '.join(hop.types)} {hop.target}" for hop in path)
    effect = _POLARITY[polarity].format(target=path[-1].target)
    return f"{steps}. In {len(path)} step(s), {path[0].source} {effect}."


def render_broken(links: Iterable[Link]) -> str:
    """Return relations whose target is not known."""
    return ", ".join(f"{link.source} {link.type} {link.target}" for link in links)


REFUSALS: dict[DraftProblem, str] = {
    "no_name": "A pattern's name needs letters or digits.",
    "no_trigger": "No pattern has that name yet. To create it, say what triggers it (`trigger`).",
    "no_action": "No pattern has that name yet. To create it, say what to do then (`action`).",
    "relates_to_itself": "A relation needs the name of another pattern as its target.",
}

_MOST_LISTED = 8


def tell_path(path: CausalPath, source: str, target: str, max_depth: int) -> str:
    """Return the path between two patterns as they were asked for, or why there is none."""
    for asked, resolution in ((source, path.source), (target, path.target)):
        if resolution.name is None:
            return _unresolved(asked, resolution)
    if path.hops:
        return render_path(path.hops, path.polarity)
    if path.hops == ():
        return f"{path.source.name} and {path.target.name} are the same pattern."
    return _no_path(path, max_depth)


def _unresolved(asked: str, resolution: Resolution) -> str:
    if not resolution.choices:
        return f"No pattern is called {asked!r}. Look for its name first."
    listed = ", ".join(resolution.choices[:_MOST_LISTED])
    more = len(resolution.choices) - _MOST_LISTED
    return f"{asked!r} could be {listed}{f' or {more} more' if more > 0 else ''}. Ask for one."


def _no_path(path: CausalPath, max_depth: int) -> str:
    answer = f"{path.source.name} does not lead to {path.target.name} within {max_depth} step(s)."
    broken = path.graph.broken[:_MOST_LISTED]
    return f"{answer} Broken relations: {render_broken(broken)}." if broken else answer
