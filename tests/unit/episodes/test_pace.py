"""Random schedules of one user's turns: the promises of the capture policy hold in all."""

import asyncio
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.store.memory import InMemoryStore

from memory_graph.episodes.capture import CAPTURE, Exchange, judge
from memory_graph.episodes.signals import Outcomes, read_outcomes, read_signals
from memory_graph.episodes.writing import Captured
from memory_graph.keys import stable_id
from memory_graph.policies import CapturePolicy, VerbatimPolicy
from memory_graph.records import Handling, LedgerEntry, Said, Source
from memory_graph.store.locks import user_lock_across_processes
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of
from memory_graph.turns.keeping import begun
from memory_graph.turns.messages import Turn
from tests.fakes import FakeClock

POLICY = CapturePolicy(max_per_day=2, cooldown_turns=3, cooldown_minutes=10)
ZONES = ["UTC", "Pacific/Kiritimati", "America/New_York", "Asia/Kolkata", "Europe/Lisbon"]
TEXTS = {
    "declared": "Please remember this conversation.",
    "decided": "We decided to move the archive to Postgres.",
    "routine": "Thanks!",
}
# Around the end of summer time, so that days have 25 hours in some zones.
START = datetime(2026, 10, 24, 20, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Step:
    """A few turns said at the same moment, each in a thread of its own."""

    minutes_later: int
    kinds: tuple[str, ...]


steps = st.builds(
    Step,
    minutes_later=st.sampled_from([0, 1, 4, 11, 60, 300]),
    kinds=st.lists(st.sampled_from(sorted(TEXTS)), min_size=1, max_size=3).map(tuple),
)


async def take_turn(
    memory: UserMemory, turn_id: str, kind: str, clock: FakeClock, zone: ZoneInfo
) -> None:
    """Judge one turn and leave its receipt, as the node does, without writing an episode."""
    async with user_lock_across_processes(memory.scope):
        clock.move(seconds=1)
        exchange = await an_exchange(turn_id, TEXTS[kind], clock(), zone)
        recent = [*(await memory.turns.since(clock() - timedelta(days=2))).values()]
        verdict = await judge(memory, exchange, POLICY, recent)
        decision = Captured.skipped(verdict).decision
        if verdict.keep:
            kept = {"action": "create", "memory_id": exchange.episode_id}
            decision = decision.model_copy(update=kept)
        entry = LedgerEntry(
            id=f"{stable_id(turn_id)}-{CAPTURE}", at=clock(), node=CAPTURE, decisions=(decision,)
        )
        captured = Handling(action=decision.action, memory_id=decision.memory_id)
        turn = Turn(turn_id, None, "m", TEXTS[kind], exchange.said)
        position = int(clock().timestamp() * 1000)
        record = begun(turn, Handling(), VerbatimPolicy(), at=clock(), position=position)
        done = record.model_copy(update={"captured": captured})
        await memory.commit([*memory.ledger.puts(entry), *await memory.turns.puts([done], clock())])


_outcomes: dict[str, Outcomes] = {}


async def an_exchange(thread_id: str, text: str, now: datetime, zone: ZoneInfo) -> Exchange:
    said = (Said(role="user", text=text),)
    if text not in _outcomes:
        _outcomes[text] = await read_outcomes(said)
    signals = read_signals(_outcomes[text])
    return Exchange(
        said=said,
        outcomes=_outcomes[text],
        signals=signals,
        source=Source(thread_id=thread_id, message_ids=("m",)),
        now=now,
        said_at=now,
        zone=zone,
    )


async def run(schedule: list[Step], zone: ZoneInfo) -> list[LedgerEntry]:
    """Return the receipts, oldest first."""
    memory = memory_of(Owner("ana"), InMemoryStore())
    clock, turn = FakeClock(START), 0
    for step in schedule:
        clock.move(minutes=step.minutes_later)
        named = [(f"turn-{turn + n}", kind) for n, kind in enumerate(step.kinds)]
        turn += len(named)
        await asyncio.gather(
            *(take_turn(memory, turn_id, kind, clock, zone) for turn_id, kind in named)
        )
    return list(reversed(await memory.ledger.recent(node=CAPTURE)))


@settings(max_examples=200, deadline=None)
@given(st.lists(steps, min_size=1, max_size=5), st.sampled_from(ZONES))
def test_quota_and_cooldown_hold_in_every_schedule(schedule: list[Step], zone_name: str) -> None:
    zone = ZoneInfo(zone_name)
    entries = asyncio.run(run(schedule, zone))

    assert len(entries) == sum(len(step.kinds) for step in schedule)
    assert all(len(entry.decisions) == 1 and entry.decisions[0].reason for entry in entries)
    per_day = Counter(
        entry.at.astimezone(zone).date()
        for entry in entries
        if entry.decisions[0].action == "create"
    )
    assert all(count <= POLICY.max_per_day for count in per_day.values())
    for entry in entries:
        if entry.decisions[0].reason == "quota":
            assert per_day[entry.at.astimezone(zone).date()] == POLICY.max_per_day
    _check_cooldown(entries)


def _check_cooldown(entries: list[LedgerEntry]) -> None:
    """Two episodes are far apart in turns or in minutes, unless the user asked for the later."""
    kept = [n for n, entry in enumerate(entries) if entry.decisions[0].action == "create"]
    for earlier, later in pairwise(kept):
        if entries[later].decisions[0].reason == "user_declared":
            continue
        waited = entries[later].at - entries[earlier].at
        assert waited >= timedelta(minutes=POLICY.cooldown_minutes) or (
            later - earlier >= POLICY.cooldown_turns
        )
