"""Memory stays quick as it grows, and cheap where there is nothing to do; ratios only."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from statistics import median

from evals.harness.runner import Bar, CaseSuite, Score, Setup, scored
from evals.harness.scorers import at_most
from evals.harness.stage import Line, Stage

_AT = datetime(2026, 11, 16, 10, tzinfo=UTC)
_RUNS = 9
_SMALL, _LARGE = 10, 400
_TOPICS = ("tea", "rowing", "jazz", "chess", "gardens", "maps", "trains", "bread")

GROWTH, ROUTINE = 3.0, 1.3
"""Forty times the memories may cost three times the turn; a thank-you no more than a fact."""


async def score(setup: Setup) -> list[Score]:
    """Time turns against each other; a slow machine slows both sides."""
    small, large = await _question(setup, _SMALL), await _question(setup, _LARGE)
    stated, thanked = await _fact_and_thanks(setup)
    growth = at_most(large / small, GROWTH, f"a question over {_LARGE} facts against {_SMALL}")
    routine = at_most(thanked / stated, ROUTINE, "a thank-you against a fact")
    return [scored("latency-growth", growth), scored("latency-routine", routine)]


async def _question(setup: Setup, facts: int) -> float:
    stage = Stage("UTC", setup)
    await stage.keep(_statements(facts), _AT)
    return median([await _timed(stage, "Which of my hobbies is it?", n) for n in range(_RUNS)][1:])


async def _fact_and_thanks(setup: Setup) -> tuple[float, float]:
    stage = Stage("UTC", setup)
    stated = [await _timed(stage, f"My cat Luna is {n}.", n) for n in range(1, _RUNS)]
    thanked = [await _timed(stage, "Thanks!", n + _RUNS) for n in range(1, _RUNS)]
    return median(stated[1:]), median(thanked[1:])


async def _timed(stage: Stage, text: str, number: int) -> float:
    line = Line(at=_AT + timedelta(minutes=number), thread=f"t{number}", say=text)
    return (await stage.play(line)).milliseconds


def _statements(count: int) -> Mapping[str, str]:
    return {f"f{n}": f"The user likes {_TOPICS[n % 8]} number {n}." for n in range(count)}


SUITE = CaseSuite(
    name="latency",
    promise="Forty times the memories do not make a turn three times as slow.",
    files=(),
    bar=Bar(floor=0.5, tolerance=0.5, tuned="nothing"),
    score=score,
)
