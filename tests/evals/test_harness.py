from dataclasses import replace

from evals.harness.report import markdown, verdict
from evals.harness.runner import (
    Bar,
    CaseSuite,
    Score,
    Setup,
    SkippedSuiteError,
    run_suites,
    split_of,
)
from evals.harness.summary import Summary, compare, summarise

CHECK_ID = next(f"case-{n}" for n in range(100) if split_of(f"case-{n}") == "check")
TUNE_ID = next(f"case-{n}" for n in range(100) if split_of(f"case-{n}") == "tune")


def a_score(case_id: str = CHECK_ID, value: float = 1.0, tier: str = "should") -> Score:
    return Score(case_id=case_id, passed=value == 1.0, value=value, why="because", tier=tier)


def a_suite(*scores: Score, **bar: object) -> CaseSuite:
    async def score(setup: Setup) -> list[Score]:
        return list(scores)

    return CaseSuite(name="toy", promise="It works.", files=(), bar=Bar(**bar), score=score)


async def ran(*suites: CaseSuite, trials: int = 1):
    return await run_suites(suites, Setup(), trials=trials)


async def test_one_broken_case_that_must_pass_fails_the_run() -> None:
    run = await ran(a_suite(a_score(), a_score(TUNE_ID, 0.0, "must")))

    assert run.failed
    assert verdict(run.results[0]) == "FAILED: 1 that must pass"


async def test_a_case_that_should_pass_is_reported_and_fails_nothing() -> None:
    run = await ran(a_suite(a_score(TUNE_ID, 0.0)))

    assert not run.failed
    assert f"`{TUNE_ID}` (should): because" in markdown(run)


async def test_held_back_cases_are_counted_and_never_shown() -> None:
    run = await ran(a_suite(a_score(CHECK_ID, 0.0)))

    assert CHECK_ID not in markdown(run)
    assert summarise(run).suites["toy"].check == 0.0


async def test_a_held_back_score_below_the_floor_fails_the_run() -> None:
    scores = (a_score(TUNE_ID), a_score(CHECK_ID, 0.4))

    assert (await ran(a_suite(*scores, floor=0.5))).failed
    assert not (await ran(a_suite(*scores, floor=0.4))).failed


async def test_a_case_passes_several_trials_only_if_it_passes_all() -> None:
    values = iter([1.0, 0.0, 1.0])

    async def flaky(setup: Setup) -> list[Score]:
        return [a_score(value=next(values))]

    [result] = (await ran(replace(a_suite(), score=flaky), trials=3)).results

    assert not result.scores[0].passed
    assert result.scores[0].why.startswith("2 of 3 trials passed")


async def test_a_suite_that_lacks_its_data_is_skipped_with_the_reason() -> None:
    async def without_data(setup: Setup) -> list[Score]:
        raise SkippedSuiteError("no file")

    run = await ran(replace(a_suite(), score=without_data))

    assert not run.failed
    assert "skipped: no file" in markdown(run)


async def test_compare_tells_a_move_within_tolerance_from_a_regression(tmp_path) -> None:
    suite = a_suite(a_score(), tolerance=0.1)
    before = summarise(await ran(suite))
    before.write(tmp_path / "baseline.json")
    before = Summary.read(tmp_path / "baseline.json")

    def moved_to(value: float) -> list[str]:
        numbers = before.suites["toy"].model_copy(update={"check": value})
        return [move.kind for move in compare(before, Summary(suites={"toy": numbers}), [suite])]

    assert moved_to(1.0) == []
    assert moved_to(0.95) == ["worse"]
    assert moved_to(0.85) == ["regression"]


async def test_compare_names_a_case_that_newly_breaks() -> None:
    good = a_suite(a_score(tier="must"), tolerance=1.0)
    bad = a_suite(a_score(value=0.0, tier="must"), tolerance=1.0)

    moves = compare(summarise(await ran(good)), summarise(await ran(bad)), [bad])

    assert (CHECK_ID, "regression") in [(move.what, move.kind) for move in moves]
