"""The report of a run, as a table and as Markdown."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from evals.harness.runner import Result, Run, add_figures
from evals.harness.summary import SuiteSummary, summarise

REPORTS = Path(__file__).parents[1] / "reports"
COLUMNS = ("suite", "cases", "passed", "tune", "held back", "precision", "recall", "verdict")
_EXAMPLES = 5
_MOST_ROWS = 20


def table(run: Run) -> list[tuple[str, ...]]:
    """Return one row per suite, as `COLUMNS` names them."""
    summary = summarise(run)
    return [_row(result, summary.suites[result.suite.name]) for result in run.results]


def markdown(run: Run, *, charts: Sequence[str] = (), sections: Sequence[str] = ()) -> str:
    """Return the report: the table, what went wrong, what was tuned on what, the charts."""
    mode = run.setup.model_name or "offline, by rules"
    lines = [
        "# Evaluation report",
        "",
        f"Model: {mode}. Trials: {run.trials}. {_sampled(run)}"
        "`tune` is what rules and thresholds were chosen on; `held back` is the third of the "
        "cases (by a hash of their id) that nobody looks at. Only the latter says how good it is.",
        "",
        *_markdown_table(COLUMNS, table(run)),
        "",
        *_all_figures(run),
        *_failures(run),
        "## What was tuned on what",
        "",
        *(f"- **{r.suite.name}**: {r.suite.bar.tuned}. {r.suite.promise}" for r in run.results),
        "",
        *sections,
        *(f"![{name}]({name})" for name in charts),
    ]
    return "\n".join(lines) + "\n"


def figures(result: Result) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the columns and rows of what a suite is read by: cases, if few; each split."""
    columns = tuple(result.figures)
    cases = result.scores if len(result.scores) <= _MOST_ROWS else ()
    named = [(score.case_id, score.figures) for score in cases]
    for label, scores in (("all of tune", result.of("tune")), ("held back", result.of("check"))):
        if len(scores) > 1:
            named.append((label, add_figures(score.figures for score in scores)))
    return ("", *columns), [(name, *(str(each[c]) for c in columns)) for name, each in named]


def _all_figures(run: Run) -> Iterator[str]:
    for result in run.results:
        if result.figures:
            yield from (f"## {result.suite.name}: its figures", "")
            yield from _markdown_table(*figures(result))
            yield ""


def _sampled(run: Run) -> str:
    if run.setup.limit is None:
        return ""
    return (
        f"**Only {run.setup.limit} cases of each suite**, chosen by a hash of their id: enough to "
        "see that a model works, too few to say how well; floors are not held against them. "
    )


def _row(result: Result, numbers: SuiteSummary) -> tuple[str, ...]:
    if numbers.skipped:
        return (result.suite.name, "-", "-", "-", "-", "-", "-", f"skipped: {numbers.skipped}")
    shares = (numbers.tune, numbers.check, numbers.precision, numbers.recall)
    return (
        result.suite.name,
        str(numbers.cases),
        str(numbers.passed),
        *("-" if share is None else f"{share:.3f}" for share in shares),
        verdict(result),
    )


def verdict(result: Result) -> str:
    """Say whether a suite holds, and if not, why."""
    if result.broken:
        return f"FAILED: {len(result.broken)} that must pass"
    if result.below_floor:
        return f"FAILED: below {result.suite.bar.floor:g}"
    return f"FAILED: too few {', '.join(result.short)}" if result.short else "ok"


def _failures(run: Run) -> Iterator[str]:
    """Yield what went wrong: everything that must hold, examples of the tune split only."""
    for result in run.results:
        seen = [s for s in result.of("tune") if not s.passed and s not in result.broken]
        shown = [*result.broken, *seen[:_EXAMPLES]]
        if not shown:
            continue
        yield f"## {result.suite.name}: what went wrong"
        yield ""
        yield from (f"- `{score.case_id}` ({score.tier}): {score.why}" for score in shown)
        if len(seen) > _EXAMPLES:
            yield f"- … and {len(seen) - _EXAMPLES} more of the tune split"
        yield ""


def _markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield f"|{'---|' * len(columns)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)
