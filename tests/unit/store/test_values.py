import math

import numpy as np
import pytest

from memory_graph.embedding import Embedder
from memory_graph.facts.store import FACTS
from memory_graph.records import TurnRecord
from memory_graph.store.values import decode, documents, embedding_of, encode
from memory_graph.turns.store import TURNS
from tests.examples import NOON, a_fact

TURN = TurnRecord(id="turn-1", text="Hi!", speaker="Ana", session="t", position=4, said_at=NOON)


def stored(kind, record, embedding=None):
    return encode(kind, record, NOON, embedding)


def test_the_index_reads_of_a_turn_who_said_it_when_and_where(embedder: Embedder) -> None:
    [found] = documents(TURNS, {"turn-1": stored(TURNS, TURN)}, embedder)

    assert found.key == "turn-1"
    assert found.text == "Hi!"
    assert found.said_at == NOON.timestamp()
    assert (found.speaker, found.group, found.position) == ("Ana", "t/2026-11-16", 4)
    assert found.vector is None


def test_the_index_reads_of_a_fact_what_ranks_it(embedder: Embedder) -> None:
    fact = a_fact().model_copy(update={"importance": 5, "pinned": True})

    [found] = documents(FACTS, {"k": stored(FACTS, fact)}, embedder)

    assert found.said_at == fact.valid_from.timestamp()
    assert (found.importance, found.pinned) == (5, True)


def test_each_item_gets_its_own_vector(embedder: Embedder) -> None:
    vectors = [[1.0] + [0.0] * 511, None, [0.0] * 511 + [1.0]]
    values = {
        str(n): stored(FACTS, a_fact(), embedding_of(vector, embedder))
        for n, vector in enumerate(vectors)
    }

    first, second, third = documents(FACTS, values, embedder)

    assert first.vector is not None
    assert third.vector is not None
    np.testing.assert_array_equal(first.vector, vectors[0])
    assert second.vector is None
    np.testing.assert_array_equal(third.vector, vectors[2])


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param("no mapping", id="no mapping"),
        pytest.param({"model": "use"}, id="nothing in it"),
        pytest.param({"model": "use", "f16": "AAAA"}, id="too short"),
        pytest.param({"model": "use", "f16": "A"}, id="no base64"),
        pytest.param({"model": "use", "f16": 7}, id="no text"),
        pytest.param({"model": "other", "f16": "AAAA"}, id="another model's"),
    ],
)
def test_an_item_with_a_broken_vector_is_indexed_by_its_words(
    broken: object, embedder: Embedder
) -> None:
    [found] = documents(FACTS, {"k": stored(FACTS, a_fact()) | {"embedding": broken}}, embedder)

    assert found.vector is None
    assert found.text


@pytest.mark.parametrize(
    "changed",
    [
        {"said_at": "yesterday"},
        {"said_at": None},
        {"said_at": 7},
        {"position": "first"},
        {"position": None},
        {"position": math.inf},
    ],
    ids=str,
)
def test_an_unreadable_item_is_skipped_with_a_warning(
    changed: dict[str, object], embedder: Embedder, caplog: pytest.LogCaptureFixture
) -> None:
    whole = stored(TURNS, TURN)

    found = list(documents(TURNS, {"a": whole | changed, "b": whole}, embedder))

    assert [each.key for each in found] == ["b"]
    assert "Skipping an unreadable turn" in caplog.text


def test_a_value_without_its_fields_is_no_record(
    embedder: Embedder, caplog: pytest.LogCaptureFixture
) -> None:
    assert list(documents(FACTS, {"k": {"text": "hello"}}, embedder)) == []
    assert decode(FACTS, {"text": "hello"}) is None
    assert caplog.text.count("Skipping an unreadable fact") == 2
