"""How does memory look in the agent's prompt?"""

import re
from collections.abc import Callable, Iterable, Sequence

from memory_graph.records import Episode, Fact

_UNSAFE = re.compile("[\x00-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_LONGEST = 400
OPENING, CLOSING = "<memory>", "</memory>"


def render_fact(fact: Fact) -> str:
    """Return a fact on one dated line."""
    return f"- {harmless(fact.statement)} (since {fact.valid_from:%Y-%m-%d})"


def render_episode(episode: Episode, *, full: bool) -> str:
    """Return an episode on one dated line, with what was learnt from it if `full`."""
    line = f"- ({episode.date_iso}, episode, {_quality(episode)}) {harmless(episode.title)}."
    outcome = f" Outcome: {episode.outcome}."
    if not full:
        return line + outcome
    details = [episode.summary, *episode.lessons[:2], *episode.next_steps[:2]]
    return f"{line}{outcome} " + " ".join(harmless(each) for each in details if each)


def render_memory(
    facts: Sequence[Fact],
    episodes: Sequence[Episode],
    *,
    budget: int,
    count: Callable[[str], int],
) -> tuple[str, int, int]:
    """Return the memory block within a token budget, and how much of each kind it holds.

    Facts come first, since they change least: a prompt cache keeps working for them. The
    first episodes are told in full, the rest on one line.
    """
    lines: list[str] = []
    left = budget - count(f"{OPENING}\n{CLOSING}")
    fact_lines, left = _fit((render_fact(fact) for fact in facts), left, count)
    told = (render_episode(e, full=place < 3) for place, e in enumerate(episodes))
    episode_lines, left = _fit(told, left, count)
    if fact_lines:
        lines += ["What is known:", *fact_lines]
    if episode_lines:
        lines += ["What happened:", *episode_lines]
    if not lines:
        return "", 0, 0
    return "\n".join([OPENING, *lines, CLOSING]), len(fact_lines), len(episode_lines)


def harmless(text: str) -> str:
    """Return text that can neither close the memory block nor look like a heading in it."""
    flat = " ".join(_UNSAFE.sub(" ", text).split()).replace("<", "‹").replace(">", "›")
    flat = flat.lstrip("#-*› ")
    return flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST - 1].rstrip()}…"


def _quality(episode: Episode) -> str:
    return "high" if episode.importance >= 4 else "good" if episode.importance == 3 else "low"


def _fit(lines: Iterable[str], budget: int, count: Callable[[str], int]) -> tuple[list[str], int]:
    kept: list[str] = []
    for line in lines:
        cost = count(line) + 1
        if cost > budget:
            break
        kept.append(line)
        budget -= cost
    return kept, budget
