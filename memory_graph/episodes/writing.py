"""Write a kept exchange as a new episode, or merge it into a known one."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from langgraph.store.base import PutOp

from memory_graph import telemetry
from memory_graph.episodes.building import Occasion, build_episode, merge_episodes
from memory_graph.episodes.capture import Capture, Exchange
from memory_graph.episodes.summary import EpisodeWriter, Written
from memory_graph.errors import ConfigurationError
from memory_graph.records import Action, MemoryDecision, Usage
from memory_graph.settings import get_settings
from memory_graph.store.scope import UserMemory, decision_for

_NOTABLE = 0.9


@dataclass(frozen=True)
class Captured:
    """What was decided about an exchange, and the writes that carry it out."""

    decision: MemoryDecision
    puts: list[PutOp] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    written: Written | None = None
    """Who wrote the episode, if one was written."""

    event: telemetry.EpisodeGenerated | None = None
    """The line about it; without one nothing was tried."""

    @classmethod
    def skipped(cls, verdict: Capture, reason: str | None = None) -> "Captured":
        """Return the outcome of an exchange that is not kept."""
        return cls(
            MemoryDecision(
                kind="episode",
                action="skip",
                reason=reason or verdict.reason,
                scores=verdict.scores,
                thresholds=verdict.thresholds,
            )
        )


async def write_episode(
    memory: UserMemory, exchange: Exchange, verdict: Capture, writer: EpisodeWriter
) -> Captured:
    """Summarise a kept exchange, once, into a new episode or into the one it continues.

    What a model rewrote as one with the known episode is taken as it is.
    """
    target = verdict.target
    written = await writer.write(exchange, verdict.reason, target)
    occasion = Occasion(
        episode_id=exchange.episode_id,
        started_at=exchange.said_at,
        ended_at=exchange.said_at,
        now=exchange.now,
        zone=exchange.zone,
        said=exchange.said,
        source=exchange.source,
        project=exchange.project,
        parent_episode_id=verdict.parent_id,
        importance=3 + (verdict.scores["notability"] >= _NOTABLE),
        novelty=verdict.scores["novelty"],
        summariser=written.by,
    )
    if target is None:
        episode = build_episode(written.draft, occasion)
    else:
        episode = merge_episodes(target, written.draft, occasion)
        if written.is_rewritten:
            episode = episode.model_copy(update={"summary": written.draft.summary})
    action: Action = "merge" if target else "create"
    decision = decision_for(action, verdict.reason, before=target, after=episode)
    numbers = {"scores": verdict.scores, "thresholds": verdict.thresholds}
    puts = await memory.episodes.puts([episode], exchange.now)
    return Captured(decision.model_copy(update=numbers), puts, written.usage, written)


@dataclass
class FailureStreak:
    """How many episodes in a row failed in this process; somebody is told once."""

    length: int = 0

    def note(self, *, failed: bool) -> None:
        """Count one more try."""
        self.length = self.length + 1 if failed else 0
        if self.length == get_settings().episode_alarm_after:
            telemetry.alarm("%d episodes in a row failed to be written.", self.length)


streak = FailureStreak()


async def generate(
    memory: UserMemory,
    exchange: Exchange,
    verdict: Capture,
    writer: EpisodeWriter,
    commit: Callable[[Captured], Awaitable[None]],
) -> Captured:
    """Write an episode and commit it; a failure of the store is told and leaves nothing behind.

    Then the exchange gets no receipt, so that the next turn picks it up. Where the model
    failed, the episode is written without it, and the line says why.
    """
    started = time.perf_counter()
    event = telemetry.EpisodeGenerated(outcome="stored", duration_ms=0.0)
    try:
        captured = await write_episode(memory, exchange, verdict, writer)
        await commit(captured)
    except ConfigurationError:
        raise
    except Exception as error:  # noqa: BLE001 — a lost episode costs nothing else
        captured = Captured.skipped(verdict, "store_failed")
        event = replace(event, outcome="store_failed", reason=type(error).__name__)
    else:
        written = captured.written
        failure = written.failure if written else None
        event = replace(
            event,
            outcome=failure or "stored",
            cost_usd=writer.tariff.cost(captured.usage),
            memory_id=None if failure else captured.decision.memory_id,
            reason=written.cause if written and failure else None,
            cut_characters=(written.cut if written else 0) or None,
        )
    streak.note(failed=event.outcome != "stored")
    milliseconds = round((time.perf_counter() - started) * 1000, 1)
    return replace(captured, event=replace(event, duration_ms=milliseconds))
