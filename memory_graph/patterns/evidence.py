"""Compute a pattern's counts, trust and warnings from its observations; name and state it."""

import math
import re
import unicodedata
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Literal, NamedTuple

from memory_graph.policies import CausalityPolicy
from memory_graph.records import Observation, Pattern, PatternDraft, in_order
from memory_graph.safety.own_voice import is_takeover

MOST_EVIDENCE = 500
"""Observations kept one by one; older ones stay in the counts but cannot be taken back.

Writers fold the oldest into the counts, which only beyond this number are no longer exact
when several processes observe the same pattern in the same moment.
"""

_Z95 = 1.96  # standard deviations that hold 95 % of a normal distribution
_TITLE = re.compile(r"^(?:ANTI)?PATTERN-")
_SEPARATORS = re.compile(r"[\W_]+")

AntipatternReason = Literal["too_few", "works", "declared", "fails"]
WARNINGS: frozenset[AntipatternReason] = frozenset({"declared", "fails"})
"""Reasons to warn of a pattern."""

DraftProblem = Literal["no_name", "no_trigger", "no_action", "relates_to_itself", "instruction"]
REFUSALS: dict[DraftProblem, str] = {
    "no_name": "A pattern's name needs letters or digits.",
    "no_trigger": "No pattern has that name yet. To create it, say what triggers it (`trigger`).",
    "no_action": "No pattern has that name yet. To create it, say what to do then (`action`).",
    "relates_to_itself": "A relation needs the name of another pattern as its target.",
    "instruction": "That gives an agent orders or rights, which no pattern does.",
}


class Resolution(NamedTuple):
    """The one name meant, or the names it could be."""

    name: str | None = None
    choices: tuple[str, ...] = ()


def observe(pattern: Pattern, seen: Observation) -> Pattern:
    """Return the pattern with one more observation; one it already has changes nothing."""
    more = with_observations(pattern, [seen])
    return more.model_copy(update={"evidence": more.evidence[-MOST_EVIDENCE:]})


def with_observations(pattern: Pattern, seen: Iterable[Observation]) -> Pattern:
    """Return the pattern with more observations; those it already has change nothing."""
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
    return _without(pattern, pattern.evidence)


def withdraw(pattern: Pattern, episode_id: str) -> Pattern:
    """Return the pattern without the evidence of a deleted episode."""
    return _without(pattern, [e for e in pattern.evidence if e.episode_id == episode_id])


def _without(pattern: Pattern, gone: Collection[Observation]) -> Pattern:
    if not gone:
        return pattern
    ids = {each.id for each in gone}
    occurrences = max(0, pattern.occurrences - len(gone))
    successes = max(0, pattern.successes - sum(each.worked for each in gone))
    return pattern.model_copy(
        update={
            "evidence": tuple(each for each in pattern.evidence if each.id not in ids),
            "occurrences": occurrences,
            "successes": min(successes, occurrences),
        }
    )


def reassign(pattern: Pattern, merged: str, into: str) -> Pattern:
    """Return the pattern with the evidence of a merged episode assigned to its new one."""
    evidence = tuple(
        each.model_copy(update={"episode_id": into}) if each.episode_id == merged else each
        for each in pattern.evidence
    )
    return pattern.model_copy(update={"evidence": evidence})


def normalise_name(name: str) -> str:
    """Return a name in kebab-case, without the title a note gives it.

    `Retry on timeout`, `retry_on_timeout` and `PATTERN-retry-on-timeout` are one name.
    Nothing is left of a name without letters and digits.
    """
    plain = _TITLE.sub("", name.strip())
    for _ in range(2):  # what folding makes may itself need it
        plain = unicodedata.normalize("NFKC", plain.casefold())
    return _SEPARATORS.sub("-", plain).strip("-")


def resolve_name(asked: str, names: Collection[str]) -> Resolution:
    """Return the name that `asked` means: itself, or the only one it is a part of."""
    wanted = normalise_name(asked)
    if wanted in names:
        return Resolution(wanted)
    partial = sorted(name for name in names if wanted and wanted in name)
    return Resolution(partial[0]) if len(partial) == 1 else Resolution(choices=tuple(partial))


def success_rate(pattern: Pattern) -> float | None:
    """Return the share of tries that worked; nothing for a pattern never tried."""
    return pattern.successes / pattern.occurrences if pattern.occurrences else None


def trust(pattern: Pattern) -> float:
    """Return the success rate a pattern has at least, with 95 % confidence.

    The Wilson lower bound: nine of ten outranks one of one, which a plain mean gets wrong.
    """
    tries, rate, z2 = pattern.occurrences, success_rate(pattern), _Z95**2
    if rate is None:
        return 0.0
    spread = _Z95 * math.sqrt((rate * (1 - rate) + z2 / (4 * tries)) / tries)
    bound = (rate + z2 / (2 * tries) - spread) / (1 + z2 / tries)
    return min(max(0.0, bound), rate)


def judge_antipattern(pattern: Pattern, policy: CausalityPolicy) -> AntipatternReason:
    """Say why a pattern is a warning or not: tried often enough, and seldom working."""
    rate = success_rate(pattern)
    if pattern.occurrences < policy.antipattern_min_occurrences:
        return "too_few"
    if rate is None or rate > policy.antipattern_max_success:
        return "works"
    return "declared" if pattern.kind == "antipattern" else "fails"


def find_problem(draft: PatternDraft, known: Pattern | None) -> DraftProblem | None:
    """Return why a draft cannot be kept, if it cannot; a known pattern fills its gaps."""
    name = normalise_name(draft.name)
    if not name:
        return "no_name"
    if any(normalise_name(relation.target) in {"", name} for relation in draft.relations):
        return "relates_to_itself"
    if known is None and not draft.trigger.strip():
        return "no_trigger"
    if is_takeover(f"{draft.trigger}\n{draft.action}\n{draft.description}"):
        return "instruction"
    return "no_action" if known is None and not draft.action.strip() else None


def take_in(draft: PatternDraft, known: Pattern | None, now: datetime) -> Pattern:
    """Return the pattern as `draft` states it now; what the draft leaves out stays.

    A rejected pattern that is stated again counts again. What was stated for every project
    stays so.
    """
    base = known or Pattern(
        name=normalise_name(draft.name),
        trigger=draft.trigger,
        action=draft.action,
        created_at=now,
        updated_at=now,
    )
    stated = (r.model_copy(update={"target": normalise_name(r.target)}) for r in draft.relations)
    is_for_one = draft.project and (known is None or known.projects)
    projects = (*base.projects, draft.project) if is_for_one else base.projects
    return base.model_copy(
        update={
            "kind": draft.kind or base.kind,
            "trigger": draft.trigger.strip() or base.trigger,
            "action": draft.action.strip() or base.action,
            "description": draft.description.strip() or base.description,
            "relations": tuple(dict.fromkeys((*base.relations, *stated))),
            "projects": tuple(dict.fromkeys(projects)),
            "status": "confirmed" if base.status == "rejected" else base.status,
            "updated_at": now,
        }
    )
