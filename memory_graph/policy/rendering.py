"""How does memory look in the agent's prompt?"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_graph.policy.recall import Reach
from memory_graph.records import Episode, Fact, TurnRecord

_UNSAFE = re.compile("[\x00-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_LONGEST = 400
_TOLD_IN_FULL = 3
OPENING, CLOSING = "<memory>", "</memory>"
_WHEN: dict[Reach | None, str] = {
    None: "",
    "asked": "",
    "around": "(Nothing is known of the time asked about; this is from around it.) ",
    "anytime": "(Nothing is known of the time asked about; this is from other times.) ",
}


@dataclass(frozen=True, kw_only=True)
class Material:
    """What there is to tell, each kind best first."""

    facts: Sequence[Fact] = ()
    episodes: Sequence[Episode] = ()
    turns: Sequence[TurnRecord] = ()
    reach: Reach | None = None


@dataclass(frozen=True, kw_only=True)
class Rendered:
    """The memory block, and how many of each kind it holds."""

    block: str = ""
    facts: int = 0
    episodes: int = 0
    turns: int = 0


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


def render_turn(turn: TurnRecord) -> str:
    """Return what somebody said on one dated line."""
    return f"- ({turn.said_at:%Y-%m-%d}, {harmless(turn.speaker)} said) {harmless(turn.text)}"


def render_memory(material: Material, *, budget: int, count: Callable[[str], int]) -> Rendered:
    """Return the memory block within a token budget.

    What changes least comes first, and facts always in the same order, so that a prompt
    cache keeps working. The first episodes are told in full, the rest on one line.
    """
    left = budget - count(f"{OPENING}\n{CLOSING}")
    facts, left = _fit(map(render_fact, material.facts), left, count)
    told = (render_episode(e, full=n < _TOLD_IN_FULL) for n, e in enumerate(material.episodes))
    episodes, left = _fit(told, left, count)
    turns, left = _fit(map(render_turn, material.turns), left, count)
    in_order = [line for _, line in sorted(zip(map(_age, material.facts), facts, strict=False))]
    sections = (
        ("What is known:", in_order),
        (_WHEN[material.reach] + "What happened:", episodes),
        ("What was said:" if episodes else _WHEN[material.reach] + "What was said:", turns),
    )
    lines = [line for heading, told in sections if told for line in (heading, *told)]
    return Rendered(
        block="\n".join([OPENING, *lines, CLOSING]) if lines else "",
        facts=len(facts),
        episodes=len(episodes),
        turns=len(turns),
    )


def harmless(text: str) -> str:
    """Return text that can neither close the memory block nor look like a heading in it."""
    flat = " ".join(_UNSAFE.sub(" ", text).split()).replace("<", "‹").replace(">", "›")
    flat = flat.lstrip("#-*› ")
    return flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST - 1].rstrip()}…"


def _quality(episode: Episode) -> str:
    return "high" if episode.importance >= 4 else "good" if episode.importance == 3 else "low"


def _age(fact: Fact) -> tuple[datetime, str]:
    return fact.created_at, fact.id


def _fit(lines: Iterable[str], budget: int, count: Callable[[str], int]) -> tuple[list[str], int]:
    kept: list[str] = []
    for line in lines:
        cost = count(line) + 1
        if cost > budget:
            break
        kept.append(line)
        budget -= cost
    return kept, budget
