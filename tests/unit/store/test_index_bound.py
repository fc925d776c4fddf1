"""How many memories a process keeps indexed, and whose."""

import pytest
from langgraph.store.memory import InMemoryStore

from memory_graph.settings import get_settings
from memory_graph.store.index_cache import shared_indexes
from memory_graph.store.scope import memory_under
from tests.examples import NOON, a_fact


async def test_the_user_who_is_served_stays_indexed_and_others_make_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MEMORY_GRAPH_INDEX_MAX_ITEMS", "100")
    get_settings.cache_clear()
    shared_indexes.cache_clear()
    store = InMemoryStore()
    for label in ("ana", "ben"):
        memory = memory_under(label, store)
        facts = [a_fact(f"profile:pet:{label}-{n}", f"Pet {n} is called {n}.") for n in range(120)]
        await memory.commit(await memory.facts.puts(facts, NOON))
        for kind in (memory.facts, memory.episodes, memory.turns):
            await kind.search(await memory.query("pets", NOON), 3)

    held = {label: memory_under(label, store).scope for label in ("ana", "ben")}
    sizes = {
        label: scope.indexes.sizes(store, scope.root).get("facts") for label, scope in held.items()
    }
    assert sizes == {"ana": None, "ben": 120}
    shared_indexes.cache_clear()
