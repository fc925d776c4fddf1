"""What comes of one try to write an episode, and what is said about it?"""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from memory_graph import telemetry
from memory_graph.context import Context
from memory_graph.errors import ConfigurationError
from memory_graph.policy.capture import Capture
from memory_graph.steps.episode_writing import Captured, write_episode
from memory_graph.steps.exchange import Exchange
from memory_graph.steps.teller import OverBudgetError, Teller, TellingError
from memory_graph.storage.scope import UserMemory

Commit = Callable[[Captured], Awaitable[None]]


@dataclass(frozen=True)
class Generation:
    """What was decided, and the line about it; without a line nothing was tried."""

    captured: Captured
    event: telemetry.EpisodeGenerated | None = None


@dataclass(frozen=True)
class Kept:
    """An exchange that is kept, and what its episode is written with."""

    exchange: Exchange
    verdict: Capture
    context: Context
    teller: Teller


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


async def generate(memory: UserMemory, kept: Kept, commit: Commit, alarm_after: int) -> Generation:
    """Write an episode and commit it; a failure is told and leaves nothing behind.

    A failed exchange gets no receipt, so that the next turn picks it up. One that is too
    expensive gets one, because trying again would not make it cheaper.
    """
    started = time.perf_counter()
    try:
        captured = await write_episode(
            memory, kept.exchange, kept.verdict, kept.context, kept.teller
        )
        await commit(captured)
    except OverBudgetError:
        refused = Captured.skipped(kept.verdict, "over_budget")
        await commit(refused)
        return Generation(refused)
    except ConfigurationError:
        raise
    except Exception as error:  # noqa: BLE001 — a lost episode costs nothing else
        streak.note(failed=True, alarm_after=alarm_after)
        return _failed(kept.verdict, error, started)
    streak.note(failed=False, alarm_after=alarm_after)
    event = telemetry.EpisodeGenerated(
        outcome="stored",
        milliseconds=_since(started),
        cost_usd=kept.teller.tariff.cost(captured.usage),
        memory_id=captured.decision.memory_id,
    )
    return Generation(captured, event)


def _failed(verdict: Capture, error: Exception, started: float) -> Generation:
    told = error if isinstance(error, TellingError) else None
    event = telemetry.EpisodeGenerated(
        outcome=told.outcome if told else "store_failed",
        milliseconds=_since(started),
        reason=type(told.cause if told else error).__name__,
    )
    return Generation(Captured.skipped(verdict, event.outcome), event)


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 1)
