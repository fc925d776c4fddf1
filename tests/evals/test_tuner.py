from dataclasses import replace
from functools import partial

from evals.harness.scorers import Counts
from evals.tuning.record import read, summary_lines, write
from evals.tuning.tasks import Case, Knob, Task
from evals.tuning.tuner import tune


def counted(similarity: float, is_one: bool, values) -> Counts:
    proposed = similarity >= values["toy.threshold"]
    return Counts(int(proposed and is_one), int(proposed), int(is_one))


def a_task(current: float) -> Task:
    """Pairs above 0.6 are one thing, all others two."""
    cases = [Case(f"case-{n}", partial(counted, n / 100, n >= 60)) for n in range(100)]
    knob = Knob(setting="toy.threshold", current=current, low=0.0, high=1.0, step=0.01)
    return Task(name="toy", suite="toy", measure="F1", beta=1.0, knobs=(knob,), cases=tuple(cases))


def test_the_search_finds_the_threshold_that_separates_the_cases() -> None:
    tuned = tune(a_task(0.2), resamples=50)

    [chosen] = tuned.chosen
    low, high = chosen.interval
    assert low <= chosen.value <= high
    assert 0.55 <= chosen.value <= 0.62
    assert tuned.after[0] == 1.0 > tuned.before[0]


def test_a_value_the_interval_does_not_rule_out_stays_in_force() -> None:
    best = tune(a_task(0.2), resamples=50).chosen[0].value

    [chosen] = tune(a_task(best), resamples=50).chosen

    assert chosen.value == best


def test_a_search_is_written_down_with_its_command(tmp_path) -> None:
    tuned = tune(a_task(0.2), resamples=20)

    write(tuned, tmp_path, resamples=20)

    record = (tmp_path / "toy.md").read_text("utf-8")
    assert "python -m evals tune --what toy --resamples 20" in record
    assert any("held back" in line for line in summary_lines(tuned))


def test_a_limit_stays_and_what_it_costs_is_written_down(tmp_path) -> None:
    task = a_task(0.2)
    limited = replace(task, knobs=(replace(task.knobs[0], limit="it bounds cost"),))

    tuned = tune(limited, resamples=50)
    write(tuned, tmp_path, resamples=50)

    assert tuned.chosen[0].value == 0.2
    assert tuned.at_best[0] == 1.0 > tuned.after[0]
    assert "0.2, a limit: it bounds cost" in (tmp_path / "toy.md").read_text("utf-8")
    assert read(tmp_path / "toy.md")["toy.threshold"].chosen == 0.2
