"""What remains of a run: numbers that can be written down, read again and compared."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from evals.harness.runner import Result, Run, Suite, headline, total

BASELINE = Path(__file__).parent / "baselines" / "offline.json"
_DIGITS = 4


class SuiteSummary(BaseModel):
    """One suite's numbers; rounded, so that a baseline reads well in a diff."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cases: int
    passed: int
    tune: float | None = None
    check: float | None = None
    precision: float | None = None
    """On the check split, like `recall`."""

    recall: float | None = None
    figures: Mapping[str, float] = {}
    """The shares a suite is read by, over all its cases."""

    broken: tuple[str, ...] = ()
    """Cases that had to pass and did not."""

    skipped: str = ""


class Summary(BaseModel):
    """A run's numbers by suite."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    suites: Mapping[str, SuiteSummary]

    @classmethod
    def read(cls, path: Path) -> "Summary":
        """Read a summary that was written down."""
        return cls.model_validate_json(path.read_text(encoding="utf-8"))

    def write(self, path: Path) -> None:
        """Write the summary down, one number a line."""
        path.parent.mkdir(parents=True, exist_ok=True)
        values = self.model_dump(mode="json", exclude_defaults=True)
        path.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")


class Move(BaseModel):
    """One number that is not what it was."""

    model_config = ConfigDict(frozen=True)

    suite: str
    what: str
    before: float | None
    after: float | None
    kind: Literal["better", "worse", "regression", "new"]

    def __str__(self) -> str:
        """Return it as one line."""
        change = f"{_number(self.before)} → {_number(self.after)}"
        return f"{self.suite}: {self.what} {change} ({self.kind})"


def summarise(run: Run) -> Summary:
    """Return a run's numbers."""
    return Summary(suites={result.suite.name: _summarise(result) for result in run.results})


def compare(before: Summary, after: Summary, suites: Sequence[Suite]) -> list[Move]:
    """Return what moved between two runs; beyond a suite's tolerance a fall is a regression.

    Suites that only one of the runs has, or that one of them skipped, are not compared.
    """
    tolerance = {suite.name: suite.bar.tolerance for suite in suites}
    moves: list[Move] = []
    for name, now in after.suites.items():
        was = before.suites.get(name)
        if now.skipped or (was and was.skipped):
            continue
        if was is None:
            moves.append(Move(suite=name, what="suite", before=None, after=now.check, kind="new"))
            continue
        moves += _moves(name, was, now, tolerance.get(name, 0.0))
    return moves


def _moves(name: str, was: SuiteSummary, now: SuiteSummary, tolerance: float) -> Iterator[Move]:
    for what in ("tune", "check", *now.figures):
        before, after = _share(was, what), _share(now, what)
        if before is None or after is None or before == after:
            continue
        fell = before - after
        kind: Literal["better", "worse", "regression"] = "better" if fell < 0 else "worse"
        if fell > tolerance:
            kind = "regression"
        yield Move(suite=name, what=what, before=before, after=after, kind=kind)
    newly_broken = sorted(set(now.broken) - set(was.broken))
    for case_id in newly_broken:
        yield Move(suite=name, what=case_id, before=1, after=0, kind="regression")


def _share(numbers: SuiteSummary, what: str) -> float | None:
    known = {"tune": numbers.tune, "check": numbers.check, **numbers.figures}
    return known.get(what)


def _summarise(result: Result) -> SuiteSummary:
    if result.skipped:
        return SuiteSummary(cases=0, passed=0, skipped=result.skipped)
    tune, check = result.of("tune"), result.of("check")
    counts = total(check)
    return SuiteSummary(
        cases=len(result.scores),
        passed=sum(score.passed for score in result.scores),
        tune=_rounded(headline(tune)) if tune else None,
        check=_rounded(headline(check)) if check else None,
        precision=_rounded(counts.precision) if counts else None,
        recall=_rounded(counts.recall) if counts else None,
        figures={name: _rounded(each.share) for name, each in result.figures.items()},
        broken=tuple(score.case_id for score in result.broken),
    )


def _rounded(number: float) -> float:
    return round(number, _DIGITS)


def _number(number: float | None) -> str:
    return "-" if number is None else f"{number:.3f}"
