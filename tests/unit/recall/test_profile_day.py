"""A wish with a last day holds until the end of that day where the user is."""

from datetime import UTC, date, datetime

from langgraph.store.memory import InMemoryStore

from memory_graph import Context, Memory, clock
from memory_graph.records import Instruction
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of


async def test_a_wish_ends_with_the_users_own_day() -> None:
    store = InMemoryStore()
    kept = datetime(2026, 11, 16, 12, tzinfo=UTC)
    wish = Instruction(
        id="w1", wish="Be brief.", until=date(2026, 11, 16), created_at=kept, updated_at=kept
    )
    scope = memory_of(Owner("ana"), store)
    await scope.commit(await scope.instructions.puts([wish], kept))
    after_midnight = datetime(2026, 11, 17, 3, tzinfo=UTC)
    shown = {}
    for zone in ("America/Los_Angeles", "UTC"):
        memory = Memory(store, context=Context(user_id="ana", time_zone=zone))
        with clock.frozen(after_midnight):
            shown[zone] = "Be brief." in (await memory.arecall("thanks!")).profile
    assert shown == {"America/Los_Angeles": True, "UTC": False}
