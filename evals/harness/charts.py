"""The charts of a report, drawn by matplotlib as SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evals.harness.runner import Result, headline

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TUNE, CHECK, MARK = "#9db4c0", "#1f5673", "#c1440e"


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A score over the values of one setting."""

    setting: str
    measure: str
    current: float
    values: tuple[float, ...]
    tune: tuple[float, ...]
    check: tuple[float, ...]


def draw_all(results: Sequence[Result], curves: Sequence[Curve], folder: Path) -> list[Path]:
    """Draw the score by suite, each confusion table and each threshold curve."""
    shown = [result for result in results if result.scores]
    tables = [result for result in shown if len(result.confusion()) > 1]
    files = [_save(_draw_scores(shown), folder / "scores.svg")]
    files += [_save(_draw_confusion(r), folder / f"confusion-{r.suite.name}.svg") for r in tables]
    files += [_save(_draw_curve(c), folder / f"curve-{c.setting}.svg") for c in curves]
    return files


def _draw_scores(results: Sequence[Result]) -> Axes:
    axes = _axes(7, 0.4 * len(results) + 1)
    for place, result in enumerate(reversed(results)):
        for split, offset, colour in (("tune", 0.2, TUNE), ("check", -0.2, CHECK)):
            scores = result.of(split)  # type: ignore[arg-type]
            if scores:
                axes.barh(place + offset, headline(scores), 0.38, color=colour)
    axes.set_yticks(range(len(results)), [r.suite.name for r in reversed(results)])
    axes.set_xlim(0, 1)
    axes.set_title("Score by suite: tune (light), held back (dark)", fontsize=10)
    return axes


def _draw_confusion(result: Result) -> Axes:
    table: Counter[tuple[str, str]] = result.confusion()
    labels = sorted({label for pair in table for label in pair})
    axes = _axes(3.2, 2.8)
    axes.imshow([[table[wanted, got] for got in labels] for wanted in labels], cmap="Blues")
    for row, wanted in enumerate(labels):
        for column, got in enumerate(labels):
            axes.text(column, row, str(table[wanted, got]), ha="center", va="center", color=MARK)
    axes.set_xticks(range(len(labels)), labels)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_xlabel("got")
    axes.set_ylabel("wanted")
    axes.set_title(f"{result.suite.name}, held back", fontsize=10)
    return axes


def _draw_curve(curve: Curve) -> Axes:
    axes = _axes(5, 2.8)
    axes.plot(curve.values, curve.tune, color=TUNE, label="tune")
    axes.plot(curve.values, curve.check, color=CHECK, label="held back")
    axes.axvline(curve.current, color=MARK, linestyle=":", label=f"in force: {curve.current:g}")
    axes.set_xlabel(curve.setting)
    axes.set_ylabel(curve.measure)
    axes.legend(fontsize=8)
    return axes


def _axes(width: float, height: float) -> Axes:
    from matplotlib.figure import Figure  # noqa: PLC0415 — only the `evals` group installs it

    # A bare `Figure` draws without a display and without pyplot's process-wide state.
    return Figure(figsize=(width, height), layout="constrained").subplots()


def _save(axes: Axes, path: Path) -> Path:
    axes.figure.savefig(path, format="svg", metadata={"Date": None})
    return path
