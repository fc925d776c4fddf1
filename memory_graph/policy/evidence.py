"""How does what was seen of a pattern move its counts, and how is it taken back?"""

from collections.abc import Iterable

from memory_graph.records import Observation, Pattern, in_order

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
            "successes": pattern.successes + sum(each.success for each in new),
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
            "successes": pattern.successes - sum(each.success for each in pattern.evidence),
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
    successes = max(0, pattern.successes - sum(each.success for each in gone))
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
