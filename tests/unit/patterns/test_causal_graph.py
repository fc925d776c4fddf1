import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_graph.patterns.search import Hop, build_graph, path_polarity, shortest_path
from memory_graph.records import Relation
from tests.examples import a_pattern


def graph_of(*links: tuple[str, str, str], also=()):
    names = {name for source, _, target in links for name in (source, target)} | set(also)
    relations = {
        name: tuple(Relation(type=t, target=b) for a, t, b in links if a == name) for name in names
    }
    return build_graph(a_pattern(name, relations=relations[name]) for name in names)


def test_the_shortest_path_wins():
    graph = graph_of(
        ("a", "causes", "b"), ("b", "causes", "c"), ("c", "causes", "d"), ("a", "enables", "d")
    )

    assert shortest_path(graph, "a", "d", 5) == (Hop("a", ("enables",), "d"),)


@pytest.mark.parametrize(("depth", "found"), [(2, False), (3, True), (10, True)])
def test_a_path_is_found_up_to_the_depth_asked_for(depth, found):
    graph = graph_of(("a", "causes", "b"), ("b", "causes", "c"), ("c", "causes", "d"))

    assert (shortest_path(graph, "a", "d", depth) is not None) is found


def test_paths_follow_the_direction_of_causes_and_survive_cycles():
    graph = graph_of(("a", "causes", "b"), ("b", "causes", "a"), also=["c"])

    assert shortest_path(graph, "a", "c", 10) is None
    assert shortest_path(graph, "a", "a", 10) == ()


def test_relations_to_missing_patterns_are_kept_as_broken():
    pattern = a_pattern("a", relations=(Relation(type="prevents", target="gone"),))
    graph = build_graph([pattern])

    assert graph.broken == (Hop("a", ("prevents",), "gone"),)
    assert graph.hops == {}


def test_proposals_are_no_part_of_the_graph():
    guess = a_pattern("b", status="proposed", relations=(Relation(type="causes", target="a"),))
    graph = build_graph([a_pattern("a"), guess])

    assert graph.names == {"a"}
    assert graph.hops == {}


def test_two_relations_between_the_same_patterns_are_one_hop():
    graph = graph_of(("a", "causes", "b"), ("a", "prevents", "b"))

    path = shortest_path(graph, "a", "b", 1)

    assert path == (Hop("a", ("causes", "prevents"), "b"),)
    assert path_polarity(path) == "unknown"


@pytest.mark.parametrize(
    ("types", "polarity"),
    [
        pytest.param(["causes", "enables"], "promotes", id="only promoting steps"),
        pytest.param(["causes", "prevents"], "prevents", id="one preventing step"),
        pytest.param(["prevents", "prevents"], "promotes", id="preventing what prevents"),
        pytest.param(["prevents", "correlates"], "unknown", id="a correlation on the way"),
        pytest.param([], "promotes", id="no step"),
    ],
)
def test_path_polarity(types, polarity):
    assert path_polarity([Hop("a", (each,), "b") for each in types]) == polarity


@given(st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20), st.integers(1, 8))
def test_a_path_found_is_a_chain_of_stated_links(edges, depth):
    links = [(f"n{a}", "causes", f"n{b}") for a, b in edges if a != b]
    graph = graph_of(*links, also=["n0", "n7"])

    path = shortest_path(graph, "n0", "n7", depth)

    if path is not None:
        assert len(path) <= depth
        assert [hop.source for hop in path] == ["n0", *(hop.target for hop in path[:-1])]
        assert all((hop.source, "causes", hop.target) in links for hop in path)
