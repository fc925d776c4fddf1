"""Tunes when an exchange becomes an episode, joins one or continues one."""

from collections.abc import Callable, Sequence

from evals.harness.runner import Setup
from evals.harness.scorers import Counts
from evals.suites.chaining import judge_pairs
from evals.suites.exchanges import Exchange, load, signals_of
from evals.suites.pace import judge_sitting
from evals.suites.sittings import Sitting, read_sittings
from evals.suites.stories_report import OPEN, read_stories
from evals.tuning.tasks import Case, Range, Tunable, Values, reaches
from memory_graph.episodes.capture import notability
from memory_graph.records import Said
from memory_graph.settings import get_settings

_COST = "it bounds how often a model writes, which the cases do not show"


async def exchanges(setup: Setup) -> Sequence[Case]:
    """Return every exchange; it is kept where one of its turns is notable enough."""
    weights = get_settings().capture.weights
    return [
        reaches(each.case_id, max(notability(s, weights) for s in signals_of(each)), each.worth)
        for each in _judged_alone()
    ]


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
