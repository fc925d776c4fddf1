"""Records of searches: written for each search, read to check the defaults against them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from evals.tuning.tuner import Chosen, Tuned

FOLDER = Path(__file__).parent / "records"
_SHOWN = 12
_BAR = 30
_MOST_CURVES = 5
_ROW = re.compile(
    r"^\| (?P<setting>[\w.]+) \| \S+ \| (?P<best>\S+) \| (?P<low>\S+) to (?P<high>\S+) "
    r"\| (?P<chosen>[^ |,]+)",
    re.MULTILINE,
)


class Recorded(NamedTuple):
    """What a record says about one setting."""

    best: float
    low: float
    high: float
    chosen: float


def read(path: Path) -> dict[str, Recorded]:
    """Return what a record says, by setting."""
    rows = _ROW.finditer(path.read_text(encoding="utf-8"))
    return {
        row["setting"]: Recorded(*(float(row[each]) for each in Recorded._fields)) for row in rows
    }


def summary_lines(tuned: Tuned) -> Iterator[str]:
    """Yield what a search found, with its curves, as lines for a terminal."""
    for chosen in tuned.chosen:
        low, high = chosen.interval
        yield (
            f"{chosen.knob.setting}: {chosen.value:g} (was {chosen.knob.current:g}; best "
            f"{chosen.best:g}, 95 % of resamplings between {low:g} and {high:g})"
        )
        yield from (f"  {line}" for line in _curve(tuned, chosen))
    before, after = tuned.before, tuned.after
    yield f"  {tuned.task.measure}: tune {before[0]:.3f} → {after[0]:.3f}, held back {_pair(tuned)}"


def write(tuned: Tuned, folder: Path, *, resamples: int) -> None:
    """Write the record of a search."""
    folder.mkdir(parents=True, exist_ok=True)
    name = tuned.task.name
    (folder / f"{name}.md").write_text(_record(tuned, resamples), encoding="utf-8")


def _record(tuned: Tuned, resamples: int) -> str:
    task = tuned.task
    data = f" {task.data}" if task.data else ""
    lines = [
        f"# {task.name}: {', '.join(knob.setting for knob in task.knobs)}",
        "",
        f"    python -m evals tune --what {task.name} --resamples {resamples}{data}",
        "",
        f"Maximised: {task.measure} on the tune split of suite `{task.suite}` "
        f"({len(task.on('tune'))} cases; {len(task.on('check'))} held back), one setting after the "
        "other. The interval holds the values that score best on 95 % of the resamplings of the "
        "cases; the value in force stays unless it rules it out.",
        "",
        "| setting | in force | best | 95 % interval | chosen |",
        "|---|---|---|---|---|",
        *(_row(chosen) for chosen in tuned.chosen),
        "",
        f"Score on tune {tuned.before[0]:.3f} → {tuned.after[0]:.3f}, on the held-back third "
        f"{_pair(tuned)}; with all the best values at once {tuned.at_best[0]:.3f} and "
        f"{tuned.at_best[1]:.3f}.",
    ]
    lines += (line for chosen in tuned.chosen for line in _drawn(tuned, chosen))
    return "\n".join(lines) + "\n"


def _row(chosen: Chosen) -> str:
    low, high = chosen.interval
    cells = (chosen.knob.setting, f"{chosen.knob.current:g}", f"{chosen.best:g}")
    why = f", a limit: {chosen.knob.limit}" if chosen.knob.limit else ""
    return f"| {' | '.join(cells)} | {low:g} to {high:g} | {chosen.value:g}{why} |"


def _drawn(tuned: Tuned, chosen: Chosen) -> Iterator[str]:
    curve = list(_curve(tuned, chosen))
    if curve:
        yield from ("", f"{chosen.knob.setting}, score on tune:", "", "```", *curve, "```")


def _pair(tuned: Tuned) -> str:
    return f"{tuned.before[1]:.3f} → {tuned.after[1]:.3f}"


def _curve(tuned: Tuned, chosen: Chosen) -> Iterator[str]:
    """Yield the curve as bars, thinned to what fits a screen; none where there are dozens."""
    if len(tuned.chosen) > _MOST_CURVES:
        return
    curve = tuned.curve(chosen.knob)
    every = max(1, len(curve.values) // _SHOWN)
    for value, tune in list(zip(curve.values, curve.tune, strict=True))[::every]:
        yield f"{value:6.2f} {'█' * round(_BAR * tune):{_BAR}} {tune:.3f}"
