"""How is a search written down, so that a default can cite it and anybody can repeat it?"""

from collections.abc import Iterator
from pathlib import Path

from evals.tuner import Chosen, Tuned

FOLDER = Path(__file__).parent / "tuning"
_SHOWN = 12
_BAR = 30


def told(tuned: Tuned) -> Iterator[str]:
    """Yield what was found, with the curve, as lines for a terminal."""
    for chosen in tuned.chosen:
        low, high = chosen.interval
        yield (
            f"{chosen.knob.setting}: {chosen.value:g} (was {chosen.knob.current:g}; best "
            f"{chosen.best:g}, 95 % of resamplings between {low:g} and {high:g})"
        )
        yield from (f"  {line}" for line in _curve(chosen))
    before, after = tuned.before, tuned.after
    yield f"  {tuned.task.measure}: tune {before[0]:.3f} → {after[0]:.3f}, held back {_pair(tuned)}"


def write(tuned: Tuned, folder: Path, *, budget: int, resamples: int) -> None:
    """Write the record and the `.env` fragment of a search."""
    folder.mkdir(parents=True, exist_ok=True)
    name = tuned.task.name
    (folder / f"{name}.md").write_text(_record(tuned, budget, resamples), encoding="utf-8")
    (folder / f"{name}.env").write_text("\n".join(_fragment(tuned)) + "\n", encoding="utf-8")


def _record(tuned: Tuned, budget: int, resamples: int) -> str:
    task = tuned.task
    lines = [
        f"# {', '.join(knob.setting for knob in task.knobs)}",
        "",
        f"    memory-graph tune --what {task.name} --budget {budget} --resamples {resamples}",
        "",
        f"Maximised: {task.measure} on the tune split of suite `{task.suite}` "
        f"({len(task.on('tune'))} cases; {len(task.on('check'))} held back). The value in force "
        "stays unless the interval of the best one rules it out.",
        "",
        "| setting | in force | best | 95 % interval | chosen |",
        "|---|---|---|---|---|",
        *(_row(chosen) for chosen in tuned.chosen),
        "",
        f"Score on tune {tuned.before[0]:.3f} → {tuned.after[0]:.3f}, on the held-back third "
        f"{_pair(tuned)}.",
        "",
        "```",
        *(line for chosen in tuned.chosen for line in _curve(chosen)),
        "```",
    ]
    return "\n".join(lines) + "\n"


def _row(chosen: Chosen) -> str:
    low, high = chosen.interval
    cells = (chosen.knob.setting, f"{chosen.knob.current:g}", f"{chosen.best:g}")
    return f"| {' | '.join(cells)} | {low:g}–{high:g} | {chosen.value:g} |"


def _pair(tuned: Tuned) -> str:
    return f"{tuned.before[1]:.3f} → {tuned.after[1]:.3f}"


def _curve(chosen: Chosen) -> Iterator[str]:
    """Yield the curve as bars, thinned to what fits a screen."""
    curve = chosen.curve
    every = max(1, len(curve.values) // _SHOWN)
    for value, tune in list(zip(curve.values, curve.tune, strict=True))[::every]:
        yield f"{value:5.2f} {'█' * round(_BAR * tune):{_BAR}} {tune:.3f}"


def _fragment(tuned: Tuned) -> Iterator[str]:
    yield f"# memory-graph tune --what {tuned.task.name}"
    for chosen in tuned.chosen:
        name = chosen.knob.setting.rpartition(".")[2]
        is_weight = ".weights." in chosen.knob.setting
        value = f"{name}={chosen.value:g}" if is_weight else f"{chosen.value:g}"
        yield f"{chosen.knob.variable}={value}"
