"""How is the way from one pattern to another told, or that there is none?"""

from memory_graph.policy.causality import DraftProblem
from memory_graph.policy.pattern_names import Resolution
from memory_graph.policy.pattern_rendering import render_broken, render_path
from memory_graph.steps.pattern_queries import CausalPath

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
