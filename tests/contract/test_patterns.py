"""Patterns on every backend: filters, search and their graph."""

from memory_graph.patterns.search import build_graph
from memory_graph.records import Relation
from tests.examples import NOON, a_pattern


async def keep(memory, *patterns):
    await memory.commit(await memory.patterns.puts(patterns, NOON))


async def graph_of(memory):
    return build_graph(await memory.patterns.links())


async def test_patterns_are_told_apart_by_their_status(memory):
    await keep(
        memory,
        a_pattern("sure"),
        a_pattern("guess", trigger="it may rain", status="proposed"),
        a_pattern("wrong", trigger="it may snow", status="rejected"),
    )

    assert [each.name for each in await memory.patterns.confirmed()] == ["sure"]
    assert [p.name for p in await memory.patterns.all(where={"status": "proposed"})] == ["guess"]


async def test_the_graph_follows_writes_and_deletions_of_others(memory_for):
    one, other = memory_for("ana"), memory_for("ana")
    await keep(one, a_pattern("a", relations=(Relation(type="causes", target="b"),)))
    assert [link.target for link in (await graph_of(other)).broken] == ["b"]

    await keep(one, a_pattern("b", trigger="it rains"))
    assert (await graph_of(other)).broken == ()

    await one.commit(one.patterns.deletions(["b"]))
    assert [link.target for link in (await graph_of(other)).broken] == ["b"]
