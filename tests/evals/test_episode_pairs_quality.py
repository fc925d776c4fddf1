"""The promise of `evals.episode_pairs`, kept by every build."""

from evals.episode_pairs import MIN_PRECISION, MIN_RECALL, measure, score
from evals.similarity import split_of
from memory_graph.embeddings import Embedder


def test_the_held_back_pairs_chain_where_they_should(embedder: Embedder) -> None:
    judged = [each for each in measure(embedder) if split_of(each.case_id) == "check"]

    precision, recall = score(judged)

    assert precision >= MIN_PRECISION
    assert recall >= MIN_RECALL
