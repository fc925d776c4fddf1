from memory_graph.embedding import Scale
from memory_graph.store.index import NamespaceIndex
from memory_graph.store.values import Document

SCALE = Scale(0.2, 0.5, 0.8)


def document(key, vector):
    return Document(key=key, text=key, said_at=0.0, vector=vector)


def test_the_nearest_come_first_and_those_without_a_vector_never():
    index = NamespaceIndex(SCALE)
    index.upsert(
        [document("far", [0.0, 1.0]), document("near", [1.0, 0.0]), document("bare", None)]
    )

    assert index.nearest([1.0, 0.0], 5) == [("near", 1.0), ("far", 0.0)]


def test_a_removed_document_is_near_to_nothing():
    index = NamespaceIndex(SCALE)
    index.upsert([document("near", [1.0, 0.0])])
    index.remove(["near"])

    assert index.nearest([1.0, 0.0], 5) == []
