"""Which of the memories found answer the question, and how are they told?"""

from collections.abc import Sequence

from memory_graph.policy.recall import RecallVerdict
from memory_graph.records import Episode, Fact, TurnRecord
from memory_graph.steps.looking_back import Past
from memory_graph.storage.collection import Found

_AS_GOOD = 0.8
"""Share of the best relevance from which something is told beside the best."""

_BETTER = 0.1
"""How much more relevant a turn must be than what memory made of the conversation."""

_TOLD = 5
_LONGEST = 240


def choose_answers(facts: Sequence[Found[Fact]], past: Past, verdict: RecallVerdict) -> list[str]:
    """Return what bears on a question, best first; for a question about a time, in its order.

    A fact is what came of everything said about it, so a turn is quoted only where it
    tells clearly more: an old one would contradict the fact it was corrected by.
    """
    if verdict.found == "none":
        return []
    if verdict.reason == "time":
        return _in_order(past)
    kept = _graded([*facts, *past.episodes])
    said = _graded(past.turns)
    best_kept = kept[0][0] if kept else 0.0
    if said and (best_kept < verdict.threshold or said[0][0] > best_kept + _BETTER):
        kept = sorted([*kept, *said], key=lambda pair: -pair[0])
    return [told for grade, told in kept if grade >= _AS_GOOD * kept[0][0]][:_TOLD]


def _in_order(past: Past) -> list[str]:
    """Return everything of the time asked about; turns only where nothing came of them."""
    episodes = [each.record for each in past.episodes if "chain" not in each.parts]
    if episodes:
        return [tell(each) for each in sorted(episodes, key=lambda e: e.ended_at)][:_TOLD]
    turns = sorted((each.record for each in past.turns), key=lambda t: (t.said_at, t.position))
    return [tell(each) for each in turns if each.role == "user"][:_TOLD]


def _graded(
    found: Sequence[Found[Fact] | Found[Episode] | Found[TurnRecord]],
) -> list[tuple[float, str]]:
    graded = [(each.relevance, tell(each.record)) for each in found]
    return sorted(graded, key=lambda pair: -pair[0])


def tell(record: Fact | Episode | TurnRecord) -> str:
    """Return a memory as a sentence."""
    if isinstance(record, Fact):
        return record.statement
    if isinstance(record, Episode):
        return record.human_line
    speaker = {"user": "You", "assistant": "I"}.get(record.speaker, record.speaker)
    words = " ".join(record.text.split())
    quoted = words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1].rstrip()}…"
    return f"{speaker} said on {record.said_at:%Y-%m-%d}: “{quoted}”"
