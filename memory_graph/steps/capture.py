"""Is an exchange kept as an episode? Decided from signs and counts, without any model."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta

from memory_graph.policy.capture import Capture, CapturePolicy, Evidence, decide_capture
from memory_graph.policy.signals import read_signals
from memory_graph.records import LedgerEntry
from memory_graph.steps.exchange import Exchange
from memory_graph.storage.scope import UserMemory

NODE = "episodic_capture"
_KEPT = frozenset({"create", "merge"})


async def judge(memory: UserMemory, exchange: Exchange, policy: CapturePolicy) -> Capture:
    """Decide whether an exchange is kept.

    Looks for similar episodes only once everything cheaper speaks for keeping it.
    """
    pace = await _pace(memory, exchange, policy)
    evidence = Evidence(
        signals=read_signals(exchange.said, earlier=exchange.earlier),
        now=exchange.now,
        new_messages=len(exchange.said),
        facts_changed=exchange.facts_changed,
        told_from_memory=exchange.told_from_memory,
        captured_today=pace.captured_today,
        last_captured_at=pace.last_captured_at,
        turns_since_last=pace.turns_since_last,
    )
    verdict = decide_capture(evidence, policy)
    if not verdict.keep:
        return verdict
    similar = await memory.episodes.similar(exchange.text, 1)
    nearest = similar[0][1] if similar else None
    return decide_capture(replace(evidence, nearest_similarity=nearest), policy)


async def exceeds_quota(memory: UserMemory, exchange: Exchange, policy: CapturePolicy) -> bool:
    """Return whether more was captured today than may be; to be asked after a write.

    Of several that wrote at once, the last one sees all the others, so that the quota holds
    if everybody who sees it exceeded takes theirs back.
    """
    return (await _pace(memory, exchange, policy)).captured_today > policy.max_per_day


@dataclass(frozen=True)
class _Pace:
    captured_today: int
    last_captured_at: datetime | None
    turns_since_last: int | None


async def _pace(memory: UserMemory, exchange: Exchange, policy: CapturePolicy) -> _Pace:
    """Read off the ledger how much was captured today, and how long ago the last was.

    Turns are counted over all of the user's threads: each leaves its own entry, so that
    no counter has to be shared.
    """
    midnight = datetime.combine(exchange.today, time(), tzinfo=exchange.zone)
    cooling = exchange.now - timedelta(minutes=policy.cooldown_minutes)
    entries = await memory.ledger.since(min(midnight, cooling), node=NODE)
    last = max((entry.at for entry in entries if _has(entry, _KEPT)), default=None)
    return _Pace(
        captured_today=len(_created(entry for entry in entries if entry.at >= midnight)),
        last_captured_at=last,
        turns_since_last=sum(entry.at > last for entry in entries) + 1 if last else None,
    )


def _created(entries: Iterable[LedgerEntry]) -> set[str | None]:
    """Return the episodes that entries created; one made of several turns has several entries."""
    decisions = (decision for entry in entries for decision in entry.decisions)
    return {each.memory_id for each in decisions if each.action == "create"}


def _has(entry: LedgerEntry, actions: frozenset[str]) -> bool:
    return any(decision.action in actions for decision in entry.decisions)
