"""Tuning tasks: knobs, and the cases that judge them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from evals.harness.runner import Setup, split_of
from evals.harness.scorers import Counts
from memory_graph.settings import get_settings

Values = Mapping[str, float]
_NO, _HIT, _FALSE, _MISSED = Counts(), Counts(1, 1, 1), Counts(0, 1, 0), Counts(0, 0, 1)


@dataclass(frozen=True, kw_only=True)
class Knob:
    """One number that may be turned."""

    setting: str
    """As in `recall.found_min`."""

    current: float
    low: float
    high: float
    step: float = 0.01
    limit: str = ""
    """Why it stays whatever the cases say: it bounds something that they do not show."""

    @property
    def grid(self) -> tuple[float, ...]:
        """Every value that is tried."""
        steps = round((self.high - self.low) / self.step)
        return tuple(round(self.low + n * self.step, 6) for n in range(steps + 1))


@dataclass(frozen=True)
class Case:
    """A labelled case, reduced to how it counts under given values."""

    case_id: str
    count: Callable[[Values], Counts]


@dataclass(frozen=True, kw_only=True)
class Task:
    """What is tuned: some knobs, the cases that judge them and what is maximised."""

    name: str
    suite: str
    measure: str
    beta: float
    """Below 1 a wrong positive costs more than a missed one."""

    knobs: tuple[Knob, ...]
    cases: tuple[Case, ...]
    data: str = ""
    """The option that names data which is not part of this repository."""

    @property
    def in_force(self) -> dict[str, float]:
        """The values the settings have now."""
        return {knob.setting: knob.current for knob in self.knobs}

    def on(self, split: str) -> tuple[Case, ...]:
        """Return the cases of one split."""
        return tuple(case for case in self.cases if split_of(case.case_id) == split)


@dataclass(frozen=True)
class Range:
    """Between which values a setting is searched, and in which steps."""

    setting: str
    low: float
    high: float
    step: float = 0.01
    constant: float | None = None
    """The value in force, where no setting holds it but the code does."""

    limit: str = ""

    def knob(self) -> Knob:
        """Return it as a knob at its value in force."""
        path = tuple(self.setting.split("."))
        current = self.constant
        if current is None:
            current = float(reduce(getattr, path, get_settings()))
        return Knob(
            setting=self.setting,
            current=current,
            low=self.low,
            high=self.high,
            step=self.step,
            limit=self.limit,
        )


Cases = Callable[[Setup], Awaitable[Sequence[Case]]]


@dataclass(frozen=True, kw_only=True)
class Tunable:
    """Something that can be tuned; building its task measures every case once."""

    name: str
    suite: str
    measure: str
    beta: float = 1.0
    ranges: tuple[Range, ...]
    cases: Cases
    data: str = ""

    async def build(self, setup: Setup) -> Task:
        """Measure the cases.

        Raises:
            SkippedSuiteError: If data is needed that this machine does not have.
        """
        return Task(
            name=self.name,
            suite=self.suite,
            measure=self.measure,
            beta=self.beta,
            knobs=tuple(each.knob() for each in self.ranges),
            cases=tuple(await self.cases(setup)),
            data=self.data,
        )


def reaches(case_id: str, number: float, wanted: bool) -> Case:
    """Return a case that proposes itself where its number reaches the only knob's value."""
    return Case(case_id, lambda values: judged(number >= only(values), wanted))


def judged(proposed: bool, wanted: bool) -> Counts:
    """Count a decision that was made, or not, and should have been, or not."""
    if proposed:
        return _HIT if wanted else _FALSE
    return _MISSED if wanted else _NO


def only(values: Values) -> float:
    """Return the value of the only knob of a task."""
    [value] = values.values()
    return value
