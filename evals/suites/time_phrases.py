"""The right past range is found in a sentence, and none where there is none."""

from evals.harness.runner import Bar, CaseSuite, Score, Setup, scored
from evals.harness.scorers import NOTHING_WRONG, Verdict
from evals.suites.time_phrase_cases import FILE, Case, load, run


async def score(setup: Setup) -> list[Score]:
    """Look for a time phrase in every sentence."""
    return [_score(case) for case in load(FILE)]


def _score(case: Case) -> Score:
    outcome = run(case)
    holds_one = case["kind"] == "pos"
    right = outcome.exact if holds_one else outcome.found is None
    got = "range" if outcome.found else "none"
    why = NOTHING_WRONG if right else f"wanted one of {case['accept']}, got {outcome.dates}"
    verdict = Verdict(float(right), why)
    return scored(case["id"], verdict, wanted="range" if holds_one else "none", got=got)


SUITE = CaseSuite(
    name="time-phrases",
    promise="`last week` or `two Fridays ago` means the days a person means, in their zone.",
    files=("time_phrases.jsonl",),
    bar=Bar(floor=0.78, tuned="the patterns, by hand; what nobody was seen to write is not read"),
    score=score,
)
