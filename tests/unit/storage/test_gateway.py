import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.store.base import PutOp, SearchItem
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore

from memory_graph.errors import StoreUnavailableError
from memory_graph.storage.gateway import Gateway
from memory_graph.storage.jsonable import to_jsonable
from tests.examples import NOON
from tests.fakes import BrokenStore, FlakyStore, HangingStore

OURS = ("memories", "user1", "facts")


class LeakyStore(InMemoryStore):
    """A store that returns what shares the beginning of a name, as old ones did."""

    async def abatch(self, ops):
        theirs = ("memories", "user10", "facts")
        leak = SearchItem(
            namespace=theirs, key="k", value={"secret": 1}, created_at=NOON, updated_at=NOON
        )
        return [[leak] for _ in ops]


async def test_an_item_of_another_namespace_is_dropped(caplog: pytest.LogCaptureFixture) -> None:
    assert await Gateway(LeakyStore(), 1, 1, 1).scan(OURS) == []
    assert "another namespace" in caplog.text


async def test_a_store_that_hangs_is_given_up_in_time() -> None:
    with pytest.raises(StoreUnavailableError, match=r"0\.05 s"):
        await Gateway(HangingStore(), 0.05, 0.05, 0.05).scan(OURS)


async def test_a_lost_connection_is_tried_once_more_and_an_outage_is_not_hidden() -> None:
    flaky = FlakyStore()
    assert await Gateway(flaky, 1, 1, 1).scan(OURS) == []
    assert flaky.calls == 2

    with pytest.raises(ConnectionError):
        await Gateway(BrokenStore(), 1, 1, 1).scan(OURS)


async def test_a_store_with_a_synchronous_interface_only_works_too() -> None:
    with SqliteStore.from_conn_string(":memory:") as store:
        store.setup()
        gateway = Gateway(store, 5, 5, 5)

        await gateway.write([PutOp(OURS, "k", {"text": "hi"}, index=False)])

        assert [item.key for item in await gateway.get(OURS, ["k"])] == ["k"]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner),
)


@given(values)
def test_whatever_is_made_jsonable_survives_json_and_a_second_time(value) -> None:
    import json

    clean = to_jsonable(value)

    text = json.dumps(clean, allow_nan=False, ensure_ascii=False)
    assert "\x00" not in text
    text.encode("utf-8")
    assert to_jsonable(json.loads(text)) == to_jsonable(clean)
