"""Tunes when an exchange becomes an episode, joins one or continues one."""

from collections.abc import Callable, Sequence
from functools import cache

from evals.harness.runner import Setup
from evals.harness.scorers import Counts
from evals.suites.chaining import judge_pairs
from evals.suites.exchanges import Exchange, load, signals_of
from evals.suites.pace import judge_sitting
from evals.suites.sittings import Sitting, read_sittings
from evals.suites.stories_report import OPEN, read_stories
from evals.tuning.tasks import Case, Range, Tunable, Values, judged, reaches
from memory_graph.episodes.capture import notability
from memory_graph.policies import NotabilityWeights
from memory_graph.records import Said
from memory_graph.settings import get_settings

_SIGNS = tuple(sign for sign in NotabilityWeights.model_fields if sign != "has_episode")
"""All but a model's word, which the cases do not have."""
_COST = "it bounds how often a model writes, which the cases do not show"


async def exchanges(setup: Setup) -> Sequence[Case]:
    """Return every exchange; it is kept where one of its turns is notable enough."""
    weights = get_settings().capture.weights
    return [
        reaches(each.case_id, max(notability(s, weights) for s in signals_of(each)), each.worth)
        for each in _judged_alone()
    ]


async def exchanges_by_sign(setup: Setup) -> Sequence[Case]:
    """Return every exchange, weighed anew by the signs it shows."""
    least = get_settings().capture.notability_min
    return [_weighed(each, least) for each in _judged_alone()]


def _judged_alone() -> list[Exchange]:
    """Return the labelled exchanges, and the lines of the open stories, each by itself."""
    lines = [
        Exchange(f"{story.id}-{number}", "story", line.matters, (Said(role="user", text=line.say),))
        for part in OPEN
        for story in read_stories(part)
        for number, line in enumerate(story.lines)
    ]
    return [*load(), *lines]


async def continued(setup: Setup) -> Sequence[Case]:
    """Return every pair of exchanges; one continues the other where their themes are alike."""
    return [
        reaches(each.case_id, each.match.similarity, each.label == "continues")
        for each in await judge_pairs()
    ]


async def sittings(setup: Setup) -> Sequence[Case]:
    """Return every sitting, played anew under each policy that is tried."""
    return [Case(each.id, _episodes_of(each)) for each in read_sittings()]


def _weighed(exchange: Exchange, least: float) -> Case:
    """Return a case that depends on the weights of the signs its turns show, and on no other."""
    turns = signals_of(exchange)
    shown = [sign for sign in _SIGNS if any(getattr(turn, sign, False) for turn in turns)]
    signs = ("prior", *shown)
    bearing = tuple(f"capture.weights.{sign}" for sign in signs)

    @cache
    def count(weighing: tuple[float, ...]) -> Counts:
        weights = NotabilityWeights(**dict(zip(signs, weighing, strict=True)))
        kept = any(notability(turn, weights) >= least for turn in turns)
        return judged(kept, exchange.worth)

    return Case(exchange.case_id, lambda values: count(tuple(values[name] for name in bearing)))


def _episodes_of(sitting: Sitting) -> Callable[[Values], Counts]:
    policy = get_settings().capture

    def count(values: Values) -> Counts:
        names = {name.rpartition(".")[2]: value for name, value in values.items()}
        return judge_sitting(sitting, policy.model_copy(update=names)).counts or Counts()

    return count


TUNABLES = (
    Tunable(
        name="capture",
        suite="capture",
        measure="F0.5 of keep",
        beta=0.5,
        ranges=(Range("capture.notability_min", 0.2, 0.9),),
        cases=exchanges,
    ),
    Tunable(
        name="signs",
        suite="capture",
        measure="F0.5 of keep",
        beta=0.5,
        ranges=tuple(Range(f"capture.weights.{sign}", -8, 8, 0.25) for sign in _SIGNS),
        cases=exchanges_by_sign,
    ),
    Tunable(
        name="pace",
        suite="pace",
        measure="F1 of one episode per story",
        ranges=(
            Range("capture.cooldown_turns", 0, 8, 1, limit=_COST),
            Range("capture.cooldown_minutes", 0, 30, 2.5, limit=_COST),
        ),
        cases=sittings,
    ),
    Tunable(
        name="novelty",
        suite="pace",
        measure="F1 of one episode per story",
        ranges=(Range("capture.novelty_min", 0, 0.6, 0.02),),
        cases=sittings,
    ),
    Tunable(
        name="merge",
        suite="pace",
        measure="F1 of one episode per story",
        ranges=(Range("capture.merge_similarity", 0.3, 1, 0.05),),
        cases=sittings,
    ),
    Tunable(
        name="parent",
        suite="chaining",
        measure="F0.5 of continues",
        beta=0.5,
        ranges=(Range("capture.parent_similarity", 0.4, 0.95),),
        cases=continued,
    ),
)
