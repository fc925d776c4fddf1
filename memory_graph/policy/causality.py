"""How far can a pattern be trusted, given how often it worked?"""

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import Field

from memory_graph.policy.fields import Policy
from memory_graph.policy.pattern_names import normalise_name
from memory_graph.records import Pattern, PatternDraft, Relation

AntipatternReason = Literal["too_few", "works", "declared", "fails"]
DraftProblem = Literal["no_name", "no_trigger", "no_action", "relates_to_itself"]

_Z95 = 1.96
"""Standard deviations that hold 95 % of a normal distribution."""


class CausalityPolicy(Policy):
    """From which counts on a pattern is a warning."""

    antipattern_max_success: float = Field(default=0.3, ge=0, le=1)
    """What works more often than this is no anti-pattern.
    A definition: what people mean by failing more often than not, with some room for luck.
    """

    antipattern_min_occurrences: int = Field(default=2, ge=1)
    """One failure may be bad luck.
    A definition: the least that can be called a repetition.
    """


@dataclass(frozen=True)
class AntipatternVerdict:
    """Whether a pattern is a warning, and the numbers that say so."""

    reason: AntipatternReason
    success_rate: float | None
    occurrences: int

    @property
    def is_antipattern(self) -> bool:
        """Whether to warn of it."""
        return self.reason in {"declared", "fails"}


def success_rate(pattern: Pattern) -> float | None:
    """Return the share of tries that worked; nothing for a pattern never tried."""
    return pattern.successes / pattern.occurrences if pattern.occurrences else None


def trust(pattern: Pattern) -> float:
    """Return the success rate a pattern has at least, with 95 % confidence.

    The Wilson lower bound: nine of ten outranks one of one, which a plain mean gets wrong.
    """
    tries = pattern.occurrences
    if not tries:
        return 0.0
    rate, z2 = pattern.successes / tries, _Z95**2
    spread = _Z95 * math.sqrt((rate * (1 - rate) + z2 / (4 * tries)) / tries)
    bound = (rate + z2 / (2 * tries) - spread) / (1 + z2 / tries)
    return min(max(0.0, bound), rate)


def judge_antipattern(pattern: Pattern, policy: CausalityPolicy) -> AntipatternVerdict:
    """Say whether a pattern is a warning: tried often enough, and seldom working."""
    rate = success_rate(pattern)
    reason: AntipatternReason
    if pattern.occurrences < policy.antipattern_min_occurrences:
        reason = "too_few"
    elif rate is None or rate > policy.antipattern_max_success:
        reason = "works"
    else:
        reason = "declared" if pattern.kind == "antipattern" else "fails"
    return AntipatternVerdict(reason, rate, pattern.occurrences)


def find_problem(draft: PatternDraft, known: Pattern | None) -> DraftProblem | None:
    """Return why a draft cannot be kept, if it cannot; a known pattern fills its gaps."""
    name = normalise_name(draft.name)
    if not name:
        return "no_name"
    if any(normalise_name(relation.target) in {"", name} for relation in draft.relations):
        return "relates_to_itself"
    if known is None and not draft.trigger.strip():
        return "no_trigger"
    return "no_action" if known is None and not draft.action.strip() else None


def take_in(draft: PatternDraft, known: Pattern | None, now: datetime) -> Pattern:
    """Return the pattern as `draft` states it now; what the draft leaves out stays.

    Somebody who states a pattern that was rejected has changed their mind.
    """
    name = normalise_name(draft.name)
    base = known or Pattern(
        name=name, trigger=draft.trigger, action=draft.action, created_at=now, updated_at=now
    )
    stated = (r.model_copy(update={"target": normalise_name(r.target)}) for r in draft.relations)
    return base.model_copy(
        update={
            "kind": draft.kind or base.kind,
            "trigger": draft.trigger.strip() or base.trigger,
            "action": draft.action.strip() or base.action,
            "description": draft.description.strip() or base.description,
            "relations": _union(base.relations, tuple(stated)),
            "status": "confirmed" if base.status == "rejected" else base.status,
            "updated_at": now,
        }
    )


def _union(old: tuple[Relation, ...], new: tuple[Relation, ...]) -> tuple[Relation, ...]:
    return tuple(dict.fromkeys((*old, *new)))
