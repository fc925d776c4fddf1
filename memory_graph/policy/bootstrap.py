"""What should a new thread know before it starts on a task, and how much of it fits?"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pydantic import Field

from memory_graph.policy.fields import Policy
from memory_graph.policy.pattern_rendering import render_pattern
from memory_graph.policy.rendering import CLOSING, OPENING, harmless, render_fact
from memory_graph.records import Episode, Fact, Pattern

_MARKS = ".,;:!?()\"'"
_ASKING = frozenset(
    "please kindly thanks thank hi hello hey help can could would will you let let's lets "
    "i i'd like want need going now today next".split()
)


class BootstrapPolicy(Policy):
    """How much of what is remembered a new thread is told."""

    on_first_turn: bool = False
    """On: the first turn of a thread is answered with a briefing on what it is about."""

    failure_days: int = Field(default=7, ge=1)
    """Older failures are history rather than warnings.
    A limit: it bounds the briefing to what is recent.
    """

    failures: int = Field(default=3, ge=0)
    """Recent failures told as warnings.
    A limit: part of `token_budget`.
    """

    patterns: int = Field(default=5, ge=0)
    """Patterns that mostly worked, told as advice.
    A limit: part of `token_budget`.
    """

    pattern_min_success: float = Field(default=0.7, ge=0, le=1)
    """What works less often than this is no advice.
    A definition: the same as `works_from` of learning.
    """

    antipatterns: int = Field(default=3, ge=0)
    """Patterns that mostly failed, told as warnings.
    A limit: part of `token_budget`.
    """

    next_steps: int = Field(default=5, ge=0)
    """Steps that were planned and that no later episode took up.
    A limit: part of `token_budget`.
    """

    facts: int = Field(default=5, ge=0)
    """Facts in the recap of who the user is.
    A limit: part of `token_budget`.
    """

    fact_min_importance: int = Field(default=4, ge=1, le=5)
    """Less important facts are told only where they fit the task.
    A definition: 4 and 5 are what extraction calls important.
    """

    min_relevance: float = Field(default=0.27, ge=0, le=1)
    """What fits the task less than this is left out, however recent or important.
    Kept by `memory-graph tune --what briefing`: `evals/tuning/briefing.md`.
    """

    token_budget: int = Field(default=600, ge=50)
    """Longest briefing, in tokens.
    A limit: the first turn of a thread pays for it.
    """


@dataclass(frozen=True, kw_only=True)
class Briefing:
    """What fits the task, each kind best first."""

    failures: tuple[Episode, ...] = ()
    antipatterns: tuple[Pattern, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    next_steps: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()


def task_of(request: str) -> str:
    """Return a request without the words that only ask for it: they fit no trigger."""
    words = [word for word in request.split() if word.strip(_MARKS).casefold() not in _ASKING]
    return " ".join(words) or request


def open_steps(episodes: Sequence[Episode], limit: int) -> tuple[str, ...]:
    """Return the planned steps of the latest episodes that no other one continues."""
    continued = {each.parent_episode_id for each in episodes}
    newest = sorted(episodes, key=lambda each: each.ended_at, reverse=True)
    steps = (step for each in newest if each.id not in continued for step in each.next_steps)
    return tuple(dict.fromkeys(steps))[:limit]


def render_briefing(briefing: Briefing, *, budget: int, count: Callable[[str], int]) -> str:
    """Return the briefing within a token budget: warnings first, the profile last.

    Nothing at all is said when nothing fits.
    """
    left = budget - count(f"{OPENING}\n{CLOSING}")
    told: list[str] = []
    for heading, lines in _sections(briefing):
        kept = _fitting([heading, *lines], left, count)
        if len(kept) > 1:
            told += kept
            left -= sum(count(line) + 1 for line in kept)
    return "\n".join([OPENING, *told, CLOSING]) if told else ""


def _sections(briefing: Briefing) -> Iterable[tuple[str, list[str]]]:
    yield "Failed recently:", [_failure(each) for each in briefing.failures]
    yield "Failed more often than not:", [render_pattern(each) for each in briefing.antipatterns]
    yield "Worked before:", [render_pattern(each) for each in briefing.patterns]
    yield "Still to do:", [f"- {harmless(step)}" for step in briefing.next_steps]
    yield "Who this is for:", [render_fact(fact) for fact in briefing.facts]


def _failure(episode: Episode) -> str:
    lesson = f" Lesson: {harmless(episode.lessons[-1])}" if episode.lessons else ""
    title, summary = harmless(episode.title).rstrip("."), harmless(episode.summary)
    return f"- ({episode.date_iso}) {title}. {summary}{lesson}"


def _fitting(lines: Sequence[str], budget: int, count: Callable[[str], int]) -> list[str]:
    kept: list[str] = []
    for line in lines:
        budget -= count(line) + 1
        if budget < 0:
            break
        kept.append(line)
    return kept
