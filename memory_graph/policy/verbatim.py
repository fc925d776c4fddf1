"""Which words of a conversation are kept as they were said, and for how long?"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal

from pydantic import Field

from memory_graph.policy.fields import Policy
from memory_graph.policy.recall_intent import detect_recall_intent
from memory_graph.policy.sentences import content_words, split_sentences
from memory_graph.records import TurnRecord


class VerbatimPolicy(Policy):
    """What is kept of the turns themselves, besides facts and episodes."""

    enabled: bool = True
    """Off: nothing is kept word for word, and nothing of it is recalled."""

    max_age_days: int = Field(default=365, ge=1)
    """Older turns are deleted.
    A limit: how long words are kept is a promise to the user.
    """

    max_turns: int = Field(default=10_000, ge=10)
    """Of more, the oldest are deleted; a message of the user and a reply are one each.
    A limit: it bounds one user's part of the store.
    """

    max_characters: int = Field(default=4000, ge=100)
    """A longer message is kept by its beginning.
    A limit: it bounds what one message can write.
    """


def who_echoes(asked: str) -> frozenset[Literal["user", "assistant"]]:
    """Return whose words of a turn tell nothing that memory does not hold already.

    Memory's own answers, found again and again, would come to confirm themselves. A question
    about the past tells nothing either, unless its message also tells something.
    """
    if not asked.rstrip().endswith("?") or detect_recall_intent(asked).grade == "none":
        return frozenset()
    told = (each for each in split_sentences(asked) if not each.endswith("?"))
    tells = any(content_words(sentence) for sentence in told)
    return frozenset({"assistant"} if tells else {"user", "assistant"})


def outdated_turns(
    turns: Sequence[TurnRecord], policy: VerbatimPolicy, now: datetime
) -> list[TurnRecord]:
    """Return the turns that are too old, or too many."""
    oldest = now - timedelta(days=policy.max_age_days)
    newest_first = sorted(turns, key=lambda turn: (turn.said_at, turn.position), reverse=True)
    surplus = newest_first[policy.max_turns :]
    return [*surplus, *(t for t in newest_first[: policy.max_turns] if t.said_at < oldest)]
