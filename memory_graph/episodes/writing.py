"""Write a kept exchange as a new episode, or merge it into a known one."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from langgraph.store.base import PutOp

from memory_graph import telemetry
from memory_graph.episodes.building import Occasion, build_episode, merge_episodes
from memory_graph.episodes.capture import Capture, Exchange
from memory_graph.episodes.summary import EpisodeWriter, Written
from memory_graph.errors import ConfigurationError
from memory_graph.records import Episode, EpisodeDraft, MemoryDecision, Usage
from memory_graph.store.scope import UserMemory

_NOTABLE = 0.9


@dataclass(frozen=True)
class Captured:
    """What was decided about an exchange, and the writes that carry it out."""

    decision: MemoryDecision
    puts: list[PutOp] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    written: Written | None = None
    """Who wrote the episode, if one was written."""

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
    """Summarise a kept exchange, once, into a new episode or into the one it continues."""
    target = verdict.place.target
    written = await writer.write(exchange, verdict.reason, target)
    occasion = _occasion(exchange, verdict, written)
    if target is not None:
        episode = _merged(target, written.draft, occasion, rewritten=written.is_rewritten)
    else:
        episode = build_episode(written.draft, occasion)
    return Captured(
        _decision(verdict, episode, target),
        await memory.episodes.puts([episode], exchange.now),
        written.usage,
        written,
    )


def _occasion(exchange: Exchange, verdict: Capture, written: Written) -> Occasion:
    return Occasion(
        episode_id=exchange.episode_id,
        started_at=exchange.said_at,
        ended_at=exchange.said_at,
        now=exchange.now,
        zone=exchange.zone,
        said=exchange.said,
        source=exchange.source,
        project=exchange.project,
        parent_episode_id=verdict.place.parent_id,
        importance=3 + (verdict.scores["notability"] >= _NOTABLE),
        novelty=verdict.scores["novelty"],
        summariser=written.by,
    )


def _merged(
    target: Episode, draft: EpisodeDraft, occasion: Occasion, *, rewritten: bool
) -> Episode:
    """Take the exchange into `target`; what a model rewrote as one is taken as it is."""
    episode = merge_episodes(target, draft, occasion)
    return episode.model_copy(update={"summary": draft.summary}) if rewritten else episode


def _decision(verdict: Capture, episode: Episode, target: Episode | None) -> MemoryDecision:
    return MemoryDecision(
        kind="episode",
        action="merge" if target else "create",
        reason=verdict.reason,
        memory_id=episode.id,
        scores={**verdict.scores, **verdict.place.scores},
        thresholds={**verdict.thresholds, **verdict.place.thresholds},
        before=target.model_dump(mode="json") if target else None,
        after=episode.model_dump(mode="json"),
    )


Commit = Callable[[Captured], Awaitable[None]]


@dataclass(frozen=True)
class Generation:
    """What was decided, and the line about it; without a line nothing was tried."""

    captured: Captured
    event: telemetry.EpisodeGenerated | None = None


@dataclass(frozen=True)
class KeptExchange:
    """An exchange that is kept, and what its episode is written with."""

    exchange: Exchange
    verdict: Capture
    writer: EpisodeWriter


@dataclass
class FailureStreak:
    """How many episodes in a row failed in this process; somebody is told once."""

    length: int = field(default=0)

    def note(self, *, failed: bool, alarm_after: int) -> None:
        """Count one more try."""
        self.length = self.length + 1 if failed else 0
        if self.length == alarm_after:
            telemetry.alarm("%d episodes in a row failed to be written.", self.length)


streak = FailureStreak()


async def generate(
    memory: UserMemory, kept: KeptExchange, commit: Commit, alarm_after: int
) -> Generation:
    """Write an episode and commit it; a failure of the store is told and leaves nothing behind.

    Then the exchange gets no receipt, so that the next turn picks it up. Where the model
    failed, the episode is written without it, and the line says why.
    """
    started = time.perf_counter()
    try:
        captured = await write_episode(memory, kept.exchange, kept.verdict, kept.writer)
        await commit(captured)
    except ConfigurationError:
        raise
    except Exception as error:  # noqa: BLE001 — a lost episode costs nothing else
        streak.note(failed=True, alarm_after=alarm_after)
        return _failed(kept.verdict, error, started)
    failure = captured.written.failure if captured.written else None
    streak.note(failed=failure is not None, alarm_after=alarm_after)
    event = telemetry.EpisodeGenerated(
        outcome=failure or "stored",
        duration_ms=_since(started),
        cost_usd=kept.writer.tariff.cost(captured.usage),
        memory_id=None if failure else captured.decision.memory_id,
        reason=captured.written.cause if captured.written and failure else None,
        cut_characters=(captured.written.cut if captured.written else 0) or None,
    )
    return Generation(captured, event)


def _failed(verdict: Capture, error: Exception, started: float) -> Generation:
    event = telemetry.EpisodeGenerated(
        outcome="store_failed", duration_ms=_since(started), reason=type(error).__name__
    )
    return Generation(Captured.skipped(verdict, event.outcome), event)


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 1)
