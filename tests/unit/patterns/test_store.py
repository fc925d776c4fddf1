from collections.abc import Iterable

from langgraph.store.base import Op, Result, SearchOp
from langgraph.store.memory import InMemoryStore

from memory_graph.store.scope import Owner, memory_of
from tests.examples import NOON, a_pattern


class CountingStore(InMemoryStore):
    """Counts how often all patterns are read."""

    __slots__ = ("scans",)

    def __init__(self) -> None:
        super().__init__()
        self.scans = 0

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        ops = list(ops)
        read = [op.namespace_prefix[-1] for op in ops if isinstance(op, SearchOp)]
        self.scans += read.count("patterns")
        return await super().abatch(ops)


async def test_patterns_are_read_once_until_one_of_them_changes():
    store = CountingStore()
    memory = memory_of(Owner("ana"), store)
    await memory.commit(await memory.patterns.puts([a_pattern("a")], NOON))
    first = await memory.patterns.graph()
    assert await memory_of(Owner("ana"), store).patterns.graph() is first
    assert store.scans == 1

    await memory.commit(await memory.patterns.puts([a_pattern("b")], NOON))

    assert (await memory.patterns.graph()).names == {"a", "b"}
    assert store.scans == 2
