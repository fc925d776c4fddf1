"""The commands of `python -m evals`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.harness.charts import Curve, draw_all
from evals.harness.report import COLUMNS, REPORTS, figures, markdown, table
from evals.harness.runner import CASES, Run, Setup, SkippedSuiteError, Suite, run_suites
from evals.harness.summary import BASELINE, Summary, summarise
from evals.harness.summary import compare as compare_summaries
from evals.suites import SUITES, langmem_peer, people
from evals.tuning import recall_signal, record
from evals.tuning.tunables import TUNABLES
from evals.tuning.tuner import curve_of
from evals.tuning.tuner import tune as search
from memory_graph import clock
from memory_graph.cli.output import Presenter
from memory_graph.cli.session import FAILED
from memory_graph.context import Context
from memory_graph.errors import ConfigurationError
from memory_graph.llm.models import models_for

_MOST_CURVES = 5


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which suites are run, on what, and with which model."""

    suites: Sequence[str] = ()
    model: str | None = None
    trials: int = 1
    locomo: Path | None = None
    limit: int | None = None
    data: Path | None = None
    sealed: bool = False


async def list_suites(show: Presenter) -> int:
    """List every suite with its promise."""
    rows = [(each.name, each.bar.tier, each.promise) for each in SUITES]
    if show.as_json:
        show.data([{"suite": n, "tier": t, "promise": p} for n, t, p in rows])
    else:
        show.table("Suites", ("suite", "tier", "promise"), rows)
    return 0


async def run(show: Presenter, selection: Selection, output: Path | None) -> int:
    """Run suites, print the table and write the report; fail if a suite fails."""
    done = await _run(show, selection)
    folder = output or REPORTS / f"{clock.utc_now():%Y-%m-%d-%H%M%S}"
    await _write(done, folder, is_part=bool(selection.limit or selection.data))
    if show.as_json:
        show.data(summarise(done).model_dump(mode="json", exclude_defaults=True))
    else:
        show.table("Suites", COLUMNS, table(done))
        for result in done.results:
            if result.figures:
                show.table(result.suite.name, *figures(result))
        show.line(f"Report: {folder / 'report.md'}", "dim")
    return FAILED if done.failed else 0


async def compare(
    show: Presenter,
    selection: Selection,
    baseline: Path | None,
    other: Path | None,
    *,
    accept: bool,
) -> int:
    """Run suites and print what changed since the baseline; fail on a regression."""
    path = baseline or BASELINE
    after = Summary.read(other) if other else summarise(await _run(show, selection))
    if accept:
        known = Summary.read(path).suites if path.exists() else {}
        standing = {suite.name: known[suite.name] for suite in SUITES if suite.name in known}
        Summary(suites={**standing, **after.suites}).write(path)
        show.line(f"Baseline: {path}", "good")
        return 0
    moves = compare_summaries(Summary.read(path), after, SUITES)
    if show.as_json:
        show.data([move.model_dump(mode="json") for move in moves])
    for move in () if show.as_json else moves:
        show.line(str(move), "bad" if move.kind == "regression" else "plain")
    if not moves and not show.as_json:
        show.line("No changes.", "good")
    return FAILED if any(move.kind == "regression" for move in moves) else 0


async def tune(
    show: Presenter,
    what: Sequence[str],
    resamples: int,
    locomo: Path | None,
    output: Path | None,
) -> int:
    """Search thresholds and weights on the tune split, and write a record of each search."""
    names = _known(what or list(TUNABLES), list(TUNABLES), "task")
    folder = output or record.FOLDER
    found, skipped = [], []
    with show.progress("Tuning") as advance:
        for number, name in enumerate(names):
            try:
                task = await TUNABLES[name].build(Setup(locomo=locomo))
                found.append(search(task, resamples=resamples))
            except SkippedSuiteError as reason:
                skipped.append(f"{name}: skipped, {reason}")
            advance(number + 1, len(names))
    for tuned in found:
        record.write(tuned, folder, resamples=resamples)
    if show.as_json:
        show.data({each.knob.setting: each.value for tuned in found for each in tuned.chosen})
        return 0
    for line in (*(line for tuned in found for line in record.summary_lines(tuned)), *skipped):
        show.line(line)
    show.line(f"Records: {folder}", "dim")
    return 0


async def _run(show: Presenter, selection: Selection) -> Run:
    named = selection.model
    setup = Setup(
        model_name=named,
        model=models_for(Context(model=named)).extraction if named else None,
        locomo=selection.locomo,
        limit=selection.limit,
        data=selection.data,
        sealed=selection.sealed,
    )
    suites = _chosen(selection.suites)
    with show.progress("Evaluating") as advance:
        return await run_suites(suites, setup, trials=selection.trials, advance=advance)


def _chosen(names: Sequence[str]) -> list[Suite]:
    if not names:
        return list(SUITES)
    known = {suite.name: suite for suite in SUITES}
    return [known[name] for name in _known(names, list(known), "suite")]


def _known(names: Sequence[str], known: Sequence[str], what: str) -> Sequence[str]:
    for name in names:
        if name not in known:
            raise ConfigurationError(f"Unknown {what} {name!r}; choose from {', '.join(known)}.")
    return names


async def _write(run: Run, folder: Path, *, is_part: bool) -> None:
    """Write the report; curves and sections over all cases only where all of them were run."""
    names = {result.suite.name for result in run.results} if not is_part else set()
    curves = await _curves(run) if not is_part else []
    sections = [await langmem_peer.section()] if {"updates", "retrieval"} <= names else []
    if {"people", "abstention"} & names:
        sections.append(await recall_signal.section([CASES / name for name in people.DEV]))
    _write_files(run, curves, sections, folder)


def _write_files(run: Run, curves: Sequence[Curve], sections: Sequence[str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    drawn = draw_all(run.results, curves, folder)
    text = markdown(run, charts=[path.name for path in drawn], sections=sections)
    (folder / "report.md").write_text(text, encoding="utf-8")
    summarise(run).write(folder / "summary.json")


async def _curves(run: Run) -> list[Curve]:
    """Return the curve of each threshold that one of the run's suites depends on.

    Settings with many weights, or that need data from elsewhere, are left to `tune`.
    """
    names = {result.suite.name for result in run.results if result.scores}
    curves = []
    for tunable in TUNABLES.values():
        if tunable.suite in names and len(tunable.ranges) <= _MOST_CURVES and not tunable.data:
            task = await tunable.build(Setup())
            curves += [curve_of(task, knob, task.in_force) for knob in task.knobs]
    return curves
