"""Which older statements still stand once newer ones on the same theme were made?"""

from collections.abc import Iterable, Sequence

from memory_graph.policy.sentences import content_words, word_set

_SAME_SUBJECT = 0.5
"""Above this share of common words, two statements are about the same thing."""

# Words that say that, or when, something was chosen, but not what about.
_CHOOSING = word_set("""
    decided decide decision chose chosen choose choice pick picked agreed agree settled going opted
    instead actually now changed switched user assistant answered
    monday tuesday wednesday thursday friday saturday sunday today tomorrow yesterday tonight
    january february march april may june july august september october november december
""")


def standing(older: Iterable[str], newer: Sequence[str]) -> tuple[str, ...]:
    """Return the older statements that no newer one repeats or replaces."""
    return tuple(one for one in older if not any(is_superseded(one, by) for by in newer))


def is_superseded(older: str, newer: str) -> bool:
    """Return whether `newer` speaks of what `older` spoke of, so that only `newer` may stay.

    Dates and numbers do not count as subject: they are what changes. A bare choice ("Porto it
    is") has no subject of its own: it replaces the bare choice before it, and nothing longer.
    """
    old, new = _subject(older), _subject(newer)
    if len(old) <= 1 or len(new) <= 1:
        return old <= new or len(old) <= 1 >= len(new)
    return len(old & new) / min(len(old), len(new)) > _SAME_SUBJECT


def _subject(statement: str) -> frozenset[str]:
    return frozenset(
        word for word in content_words(statement) if word not in _CHOOSING and not word[0].isdigit()
    )
