"""Suites, their scores, and when a run has failed."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Literal, Protocol, TypeVar

from langchain_core.language_models import BaseChatModel

from evals.harness.scorers import Counts, Verdict

Tier = Literal["must", "should"]
Split = Literal["tune", "check"]
Advance = Callable[[int, int], None]
C = TypeVar("C")

CASES = Path(__file__).parents[1] / "cases"


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What a run is given: everything a suite may depend on besides its cases."""

    model_name: str | None = None
    """Chat model for suites that can use one; without, everything runs offline by rules."""

    model: BaseChatModel | None = None
    locomo: Path | None = None
    """A LoCoMo file for the retrieval adapter; it is not part of this repository."""

    limit: int | None = None
    """Score so many cases of each suite at most, for a model that is slow or paid."""

    data: Path | None = None
    """Conversations to play instead of those of `people`."""

    sealed: bool = False
    """Whether suites with a sealed part play it too."""

    held_back: bool = True
    """Whether suites play the files that may only be counted; no test asserts on them."""

    def some(self, cases: Iterable[C], case_id: Callable[[C], str]) -> list[C]:
        """Return as many cases as the limit allows, always the same, in their order."""
        every = list(cases)
        if self.limit is None:
            return every
        chosen = set(sorted(map(case_id, every), key=_lot)[: self.limit])
        return [case for case in every if case_id(case) in chosen]


@dataclass(frozen=True)
class Figure:
    """One of several counts that a suite is read by, and the least share it should reach."""

    right: int
    of: int
    floor: float = 0.0

    def __add__(self, other: "Figure") -> "Figure":
        """Return both together."""
        return Figure(self.right + other.right, self.of + other.of, self.floor)

    @property
    def share(self) -> float:
        """How much of it is right; 1 when there was nothing."""
        return self.right / self.of if self.of else 1.0

    @property
    def holds(self) -> bool:
        """Whether it reaches its floor."""
        return self.share >= self.floor

    def __str__(self) -> str:
        """Return the count, and its floor where it is not reached."""
        return f"{self.right}/{self.of}" + ("" if self.holds else f" < {self.floor:g}")


def add_figures(figures: Iterable[Mapping[str, Figure]]) -> dict[str, Figure]:
    """Return figures of several cases together, by name."""
    together: dict[str, Figure] = {}
    for each in figures:
        for name, figure in each.items():
            together[name] = together[name] + figure if name in together else figure
    return together


@dataclass(frozen=True, kw_only=True)
class Score:
    """How one case went, and why."""

    case_id: str
    passed: bool
    value: float
    why: str
    tier: Tier
    wanted: str = ""
    """The label, for confusion tables."""

    got: str = ""
    counts: Counts | None = None
    figures: Mapping[str, Figure] = field(default_factory=dict)
    part: Split | None = None
    """Which part of the labelled set the case belongs to, where no hash decides."""

    @property
    def split(self) -> Split:
        """Which part of the labelled set the case belongs to."""
        return self.part or split_of(self.case_id)


class SkippedSuiteError(Exception):
    """The suite needs something this machine does not have; the message says what."""


class Suite(Protocol):
    """One question about memory, with the labelled cases that answer it."""

    @property
    def name(self) -> str:
        """How commands and reports call it."""
        ...

    @property
    def promise(self) -> str:
        """What a user may rely on while it passes."""
        ...

    @property
    def files(self) -> tuple[str, ...]:
        """The files in `evals/cases/` it reads."""
        ...

    @property
    def bar(self) -> "Bar":
        """What it must reach."""
        ...

    async def run(self, setup: Setup) -> list[Score]:
        """Score every case.

        Raises:
            SkippedSuiteError: If something it needs is not there.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Bar:
    """What a suite must reach, and how its numbers came about."""

    tier: Tier = "should"
    """`must`: one failed case fails the run. A case may be stricter than its suite."""

    floor: float = 0.0
    """A lower score on the held-back third fails the run, whatever the tier."""

    tolerance: float = 0.01
    """`compare` calls a fall by more than this a regression."""

    tuned: str = "nothing"
    """What was chosen on the tune split of this suite."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """What one suite scored in one run."""

    suite: Suite
    scores: tuple[Score, ...] = ()
    seconds: float = 0.0
    skipped: str = ""
    is_sample: bool = False
    """Only some of the cases were scored, too few to hold against a floor."""

    @property
    def broken(self) -> tuple[Score, ...]:
        """Cases that had to pass and did not."""
        return tuple(s for s in self.scores if s.tier == "must" and not s.passed)

    @property
    def below_floor(self) -> bool:
        """Whether the held-back third scores lower than promised."""
        held_back = () if self.is_sample else self.of("check") or self.scores
        return bool(held_back) and headline(held_back) < self.suite.bar.floor

    @property
    def figures(self) -> dict[str, Figure]:
        """The figures of what was held back, or of everything where nothing was."""
        return add_figures(score.figures for score in self.of("check") or self.scores)

    @property
    def short(self) -> tuple[str, ...]:
        """Names of figures that do not reach their floor."""
        figures = {} if self.is_sample else self.figures
        return tuple(name for name, figure in figures.items() if not figure.holds)

    @property
    def failed(self) -> bool:
        """Whether this suite fails the run."""
        return bool(self.broken or self.short) or self.below_floor

    def of(self, split: Split) -> tuple[Score, ...]:
        """Return the scores of one split."""
        return tuple(score for score in self.scores if score.split == split)

    def confusion(self) -> Counter[tuple[str, str]]:
        """Count (wanted, got) on the held-back third."""
        return Counter((s.wanted, s.got) for s in self.of("check") if s.wanted and s.got)


@dataclass(frozen=True)
class Run:
    """Every suite of one run."""

    results: tuple[Result, ...]
    setup: Setup = field(default_factory=Setup)
    trials: int = 1

    @property
    def failed(self) -> bool:
        """Whether anything that must hold does not."""
        return any(result.failed for result in self.results)


def split_of(case_id: str) -> Split:
    """Say whether a case may be looked at (`tune`) or only counted (`check`)."""
    return "check" if sha256(case_id.encode()).digest()[0] % 3 == 0 else "tune"


def _lot(case_id: str) -> bytes:
    """Return what decides whether a case is among a few; not what decides on its split."""
    return sha256(f"lot {case_id}".encode()).digest()


def headline(scores: Sequence[Score]) -> float:
    """Return a suite's one number: F1 where cases count hits, else the mean value."""
    counts = total(scores)
    return fmean(s.value for s in scores) if counts is None else counts.f_score()


def total(scores: Iterable[Score]) -> Counts | None:
    """Add up the counts of all cases, if they have any."""
    counted = [score.counts for score in scores if score.counts is not None]
    return sum(counted, Counts()) if counted else None


def scored(
    case_id: str, verdict: Verdict, *, tier: Tier = "should", wanted: str = "", got: str = ""
) -> Score:
    """Return a verdict as the score of a case."""
    return Score(
        case_id=case_id,
        passed=verdict.passed,
        value=verdict.value,
        why=verdict.why,
        tier=tier,
        wanted=wanted,
        got=got,
        counts=verdict.counts,
    )


async def run_suites(
    suites: Sequence[Suite], setup: Setup, *, trials: int = 1, advance: Advance | None = None
) -> Run:
    """Run suites one after another; with several trials, a case passes if all of them do."""
    results: list[Result] = []
    for number, suite in enumerate(suites):
        if advance:
            advance(number, len(suites))
        results.append(await _run(suite, setup, trials))
    if advance:
        advance(len(suites), len(suites))
    return Run(tuple(results), setup, trials)


async def _run(suite: Suite, setup: Setup, trials: int) -> Result:
    started = perf_counter()
    try:
        rounds = [await suite.run(setup) for _ in range(trials)]
    except SkippedSuiteError as reason:
        return Result(suite=suite, skipped=str(reason))
    scores = [_together(tries) for tries in zip(*rounds, strict=True)]
    return Result(
        suite=suite,
        scores=tuple(setup.some(scores, lambda score: score.case_id)),
        seconds=perf_counter() - started,
        is_sample=setup.limit is not None,
    )


def _together(tries: Sequence[Score]) -> Score:
    if len(tries) == 1:
        return tries[0]
    failed = [each for each in tries if not each.passed]
    example = failed[0] if failed else tries[0]
    counted = total(tries)
    return Score(
        case_id=example.case_id,
        passed=not failed,
        value=fmean(each.value for each in tries),
        why=f"{len(tries) - len(failed)} of {len(tries)} trials passed; {example.why}",
        tier=example.tier,
        wanted=example.wanted,
        got=example.got,
        counts=counted,
        figures=add_figures(each.figures for each in tries),
        part=example.part,
    )


@dataclass(frozen=True, kw_only=True)
class CaseSuite:
    """A suite whose cases one function scores."""

    name: str
    promise: str
    files: tuple[str, ...]
    bar: Bar
    score: Callable[[Setup], Awaitable[list[Score]]]

    async def run(self, setup: Setup) -> list[Score]:
        """Score every case."""
        return await self.score(setup)
