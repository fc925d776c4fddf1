"""Which facts have to go when a category is full?"""

from collections.abc import Collection, Iterable

from memory_graph.records import Fact


def choose_evictions(
    current: Iterable[Fact], *, just_told: Collection[str], most: int
) -> tuple[Fact, ...]:
    """Return the facts past `most` of a category, the longest unheard of first.

    Pinned facts stay, and so do those with an id in `just_told`.
    """
    by_category: dict[str, list[Fact]] = {}
    for fact in current:
        by_category.setdefault(fact.category, []).append(fact)
    evicted: list[Fact] = []
    for facts in by_category.values():
        may_go = [fact for fact in facts if not fact.pinned and fact.id not in just_told]
        may_go.sort(key=lambda fact: (fact.last_verified_at, fact.id))
        evicted += may_go[: max(len(facts) - most, 0)]
    return tuple(evicted)
