"""How is a memory decision said in one line?"""

from collections.abc import Mapping, Sequence

from memory_graph.records import MemoryDecision

_DONE = {
    "create": "created",
    "update": "updated",
    "verify": "verified",
    "retract": "ended",
    "merge": "merged into",
    "evict": "removed",
}
_LOWER_BOUNDS = {
    "notability": "notability_min",
    "novelty": "novelty_min",
    "turns_since_last": "cooldown_turns",
    "minutes_since_last": "cooldown_minutes",
}
_COUNTS = frozenset({"captured_today", "turns_since_last", "minutes_since_last"})
_DECIDED_BY: Mapping[str, Sequence[str]] = {
    "cooldown": ("turns_since_last", "minutes_since_last"),
    "not_novel": ("novelty",),
}
"""Which scores a skip was decided by, where it was not notability."""


def tell_event(event: Mapping[str, object]) -> str | None:
    """Return the line for an event of the custom stream, if it is one for people."""
    if event.get("event") == "memory.search":
        return _searched(event)
    if event.get("event") == "memory.gave_up":
        return f"{event['node']} gave up ({event['error']}); the reply goes on without it"
    if "action" in event:
        return tell_decision(MemoryDecision.model_validate(event))
    return None


def tell_decision(decision: MemoryDecision) -> str:
    """Return what was decided, about which memory, and why."""
    if decision.action == "skip":
        return f"{decision.kind} skipped: {decision.reason}{_bracketed(_why_skipped(decision))}"
    what = decision.memory_id or decision.kind
    return f"{_DONE[decision.action]} {what} ({'; '.join([decision.reason, *_why_kept(decision)])})"


def tell_scores(decision: MemoryDecision) -> str:
    """Return every score of a decision, beside its threshold where it has one."""
    return ", ".join(_score(decision, name) for name in decision.scores)


def _why_skipped(decision: MemoryDecision) -> list[str]:
    if decision.reason == "quota":
        captured, limit = decision.scores["captured_today"], decision.thresholds["max_per_day"]
        return [f"{captured:g} of {limit:g} today"]
    names = _DECIDED_BY.get(decision.reason, ("notability", "similarity"))
    return [_score(decision, name) for name in names if _is_too_low(decision, name)]


def _is_too_low(decision: MemoryDecision, name: str) -> bool:
    bound = decision.thresholds.get(_bound_of(decision, name), 0.0)
    return name in decision.scores and decision.scores[name] < bound


def _why_kept(decision: MemoryDecision) -> list[str]:
    names = ("notability", "novelty", "similarity")
    return [_score(decision, name) for name in names if name in decision.scores]


def _score(decision: MemoryDecision, name: str) -> str:
    form = "g" if name in _COUNTS else ".2f"
    value = decision.scores[name]
    bound = decision.thresholds.get(_bound_of(decision, name))
    if bound is None:
        return f"{name} {value:{form}}"
    return f"{name} {value:{form}} {'≥' if value >= bound else '<'} {bound:{form}}"


def _bound_of(decision: MemoryDecision, name: str) -> str:
    if name == "similarity":
        return "merge_similarity" if decision.kind == "episode" else "auto"
    return _LOWER_BOUNDS.get(name, "")


def _searched(event: Mapping[str, object]) -> str:
    best, threshold = float(str(event["best"])), float(str(event["threshold"]))
    why = f"{best:.2f} {'≥' if best >= threshold else '<'} {threshold:.2f}"
    if event.get("reason") == "time":
        why = "by its time"
    return (
        f"recalled {count(int(str(event['facts'])), 'fact')}, "
        f"{count(int(str(event['episodes'])), 'episode')}: {event['found']} {why} "
        f"in {float(str(event['milliseconds'])):.0f} ms"
    )


def count(number: int, noun: str, plural: str = "") -> str:
    """Return `1 fact`, `2 facts`, `2 memories`."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or f'{noun}s'}"


def _bracketed(parts: Sequence[str]) -> str:
    return f" ({', '.join(parts)})" if parts else ""
