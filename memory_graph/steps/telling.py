"""How are decisions told: to the log, to the stream and to the graph's state?"""

from collections.abc import Sequence

from memory_graph import telemetry
from memory_graph.records import MemoryDecision
from memory_graph.state import DecisionNote


def report(run: telemetry.Watched, node: str, decisions: Sequence[MemoryDecision]) -> None:
    """Log and stream each decision."""
    for decision in decisions:
        telemetry.record(run, telemetry.MemoryDecided.of(node, decision))


def notes(decisions: Sequence[MemoryDecision]) -> list[DecisionNote]:
    """Return decisions as they are kept in the graph's state: without any text."""
    return [
        DecisionNote(
            kind=decision.kind,
            action=decision.action,
            reason=decision.reason,
            memory_id=decision.memory_id,
            scores=decision.scores,
            thresholds=decision.thresholds,
        )
        for decision in decisions
    ]


def stated(decisions: Sequence[MemoryDecision]) -> list[str]:
    """Return the statements that were kept or ended by decisions, for the reply.

    One that came too late to hold is not among them.
    """
    kept = (d for d in decisions if d.after and d.action in {"create", "update", "retract"})
    return [_told(each) for each in kept if each.action == "retract" or not _is_over(each)]


def _is_over(decision: MemoryDecision) -> bool:
    return (decision.after or {}).get("valid_to") is not None


def _told(decision: MemoryDecision) -> str:
    statement = str((decision.after or {}).get("statement", ""))
    return f"No longer true: {statement}" if decision.action == "retract" else statement
