"""The promise of `evals.capture`, kept by every build."""

from evals.capture import MIN_PRECISION, MIN_RECALL, load, score


def test_the_held_back_exchanges_are_told_apart_well_enough() -> None:
    result = score(exchange for exchange in load() if exchange.split == "check")

    assert result.precision >= MIN_PRECISION
    assert result.recall >= MIN_RECALL
