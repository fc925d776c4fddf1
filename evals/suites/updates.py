"""Does a second message change a known fact exactly when it corrects or ends it?"""

from evals.fact_cases import MAY_CHANGE, MUST_CHANGE, Pair, load
from evals.fact_updates import run_pair
from evals.harness import Bar, CaseSuite, Score, Setup, scored
from evals.scorers import same_label

FILE = "fact_pairs.jsonl"


def read_pairs() -> list[Pair]:
    """Return the labelled pairs whose relation says what must happen."""
    pairs = load(FILE, Pair.model_validate_json)
    return [pair for pair in pairs if pair.relation not in MAY_CHANGE]


async def score(setup: Setup) -> list[Score]:
    """Tell each pair to a fresh memory, one message after the other."""
    return [await _score(pair, setup) for pair in read_pairs()]


async def _score(pair: Pair, setup: Setup) -> Score:
    outcome = await run_pair(pair, setup.model)
    wanted = "change" if pair.relation in MUST_CHANGE else "leave"
    got = "change" if outcome.retired else "leave"
    return scored(pair.id, same_label(wanted, got, positive="change"), wanted=wanted, got=got)


SUITE = CaseSuite(
    name="updates",
    promise="A correction replaces the old value; nothing else ever does.",
    files=(FILE,),
    bar=Bar(floor=0.8, tuned="keys and the offline grammar, by hand"),
    score=score,
)
