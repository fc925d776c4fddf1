import json

import numpy as np
import pytest

from evals.tuning.question_map import PAIRS, fit
from memory_graph.embedding import load_embedder
from memory_graph.language.heads import towards_answers

TOLD = (
    "just moved to Glasgow for a new gig at a small brewery",
    "the doc put me on metformin, 500 twice a day",
    "ugh, landlord says no pets so our beagle is with my mum",
    "we took the flat on Byres Road rather than the one in Partick",
)


def nearest(question: str, *, mapped: bool) -> str:
    [asked, *told] = load_embedder("use").embed_sync([question, *TOLD])
    meaning = towards_answers(asked) if mapped else asked
    return TOLD[int((np.asarray(told) @ np.asarray(meaning)).argmax())]


@pytest.mark.parametrize("question", ["Which city am I in now?", "In welcher Stadt bin ich?"])
def test_a_question_is_nearest_to_what_answers_it_in_other_words(question: str) -> None:
    assert nearest(question, mapped=True) == TOLD[0]


def test_the_map_keeps_a_vector_a_unit_vector() -> None:
    [asked] = load_embedder("use").embed_sync(["What medication do I take?"])

    assert np.linalg.norm(towards_answers(asked)) == pytest.approx(1)


def test_the_map_is_fitted_to_lead_from_questions_to_answers() -> None:
    rng = np.random.default_rng(0)
    asked = rng.normal(size=(200, 40))
    asked /= np.linalg.norm(asked, axis=1, keepdims=True)
    told = asked @ np.diag([3.0, -2.0, *[1.0] * 38])

    reads, adds = fit(asked, told)

    mapped = asked + (asked @ reads) @ adds.T
    assert np.abs(mapped - told).mean() < np.abs(asked - told).mean() / 2


def test_every_pair_tells_and_asks_something_else() -> None:
    pairs = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]

    assert len({(pair["tell"], pair["ask"]) for pair in pairs}) == len(pairs)
    assert all(pair["tell"].strip() and pair["ask"].strip() for pair in pairs)
