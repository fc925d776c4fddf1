"""How observations change the counts of a pattern, and how they are taken back."""

import math
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory_graph.policies import CausalityPolicy
from memory_graph.records import Observation, Pattern, PatternDraft, Relation, in_order

MOST_EVIDENCE = 500
"""Observations kept one by one; older ones stay in the counts but cannot be taken back.

Writers fold the oldest into the counts, which only beyond this number are no longer exact
when several processes observe the same pattern in the same moment.
"""


def observe(pattern: Pattern, seen: Observation) -> Pattern:
    """Return the pattern with one more observation; one it already has changes nothing."""
    more = with_observations(pattern, [seen])
    return more.model_copy(update={"evidence": more.evidence[-MOST_EVIDENCE:]})


def with_observations(pattern: Pattern, seen: Iterable[Observation]) -> Pattern:
    """Return the pattern with all that was seen of it; what it has already changes nothing."""
    known = {each.id for each in pattern.evidence}
    new = tuple(each for each in seen if each.id not in known)
    if not new:
        return pattern
    latest = max(each.at for each in new)
    return pattern.model_copy(
        update={
            "successes": pattern.successes + sum(each.worked for each in new),
            "occurrences": pattern.occurrences + len(new),
            "evidence": in_order((*pattern.evidence, *new)),
            "last_validated_at": max(pattern.last_validated_at or latest, latest),
            "updated_at": max(pattern.updated_at, latest),
        }
    )


def without_observations(pattern: Pattern) -> Pattern:
    """Return the pattern with only those counts that no observation accounts for."""
    return pattern.model_copy(
        update={
            "successes": max(0, pattern.successes - sum(each.worked for each in pattern.evidence)),
            "occurrences": pattern.occurrences - len(pattern.evidence),
            "evidence": (),
        }
    )


def withdraw(pattern: Pattern, episode_id: str) -> Pattern:
    """Return the pattern without what was seen in an episode that is gone."""
    gone = [each for each in pattern.evidence if each.episode_id == episode_id]
    if not gone:
        return pattern
    kept = tuple(each for each in pattern.evidence if each.episode_id != episode_id)
    occurrences = max(0, pattern.occurrences - len(gone))
    successes = max(0, pattern.successes - sum(each.worked for each in gone))
    return pattern.model_copy(
        update={
            "evidence": kept,
            "occurrences": occurrences,
            "successes": min(successes, occurrences),
        }
    )


def reassign(pattern: Pattern, merged: str, into: str) -> Pattern:
    """Return the pattern with what was seen in one episode seen in the one it became part of."""
    if all(each.episode_id != merged for each in pattern.evidence):
        return pattern
    moved = (
        each.model_copy(update={"episode_id": into}) if each.episode_id == merged else each
        for each in pattern.evidence
    )
    return pattern.model_copy(update={"evidence": tuple(moved)})


NameMatch = Literal["exact", "partial", "several", "none"]
_TITLE = re.compile(r"^(?:ANTI)?PATTERN-")
_SEPARATORS = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Resolution:
    """The one name meant, or the names it could be."""

    reason: NameMatch
    name: str | None = None
    choices: tuple[str, ...] = ()


def normalise_name(name: str) -> str:
    """Return a name in kebab-case, without the title a note gives it.

    `Retry on timeout`, `retry_on_timeout` and `PATTERN-retry-on-timeout` are one name.
    Nothing is left of a name without letters and digits.
    """
    plain = _folded(_folded(_TITLE.sub("", name.strip())))
    return _SEPARATORS.sub("-", plain).strip("-")


def resolve_name(asked: str, names: Iterable[str]) -> Resolution:
    """Return the name that `asked` means: itself, or the only one it is a part of."""
    wanted = normalise_name(asked)
    known = set(names)
    if wanted in known:
        return Resolution("exact", wanted)
    partial = sorted(name for name in known if wanted and wanted in name)
    if len(partial) == 1:
        return Resolution("partial", partial[0])
    return Resolution("several" if partial else "none", choices=tuple(partial))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text.casefold())


AntipatternReason = Literal["too_few", "works", "declared", "fails"]
DraftProblem = Literal["no_name", "no_trigger", "no_action", "relates_to_itself"]

_Z95 = 1.96
"""Standard deviations that hold 95 % of a normal distribution."""


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
            "projects": _projects(draft, known),
            "status": "confirmed" if base.status == "rejected" else base.status,
            "updated_at": now,
        }
    )


def _projects(draft: PatternDraft, known: Pattern | None) -> tuple[str, ...]:
    """Return the projects it counts in; what was once stated for all of them stays so."""
    named = (draft.project,) if draft.project else ()
    if known is None:
        return named
    return tuple(dict.fromkeys((*known.projects, *named))) if known.projects else ()


def _union(old: tuple[Relation, ...], new: tuple[Relation, ...]) -> tuple[Relation, ...]:
    return tuple(dict.fromkeys((*old, *new)))
