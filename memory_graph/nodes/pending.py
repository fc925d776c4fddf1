"""Which of a conversation's turns has no capture looked at, and what do they tell together?"""

from collections.abc import Mapping, Sequence
from typing import Literal

from memory_graph import clock
from memory_graph.context import Context
from memory_graph.nodes.turn import Turn
from memory_graph.policy.exchange import Said
from memory_graph.records import LedgerEntry, Source
from memory_graph.steps.capture import NODE
from memory_graph.steps.exchange import Exchange

HOTPATH = "memory_hotpath"


def exchange_of(
    turns: Sequence[Turn], fresh: Sequence[Turn], seen: Mapping[str, LedgerEntry], context: Context
) -> Exchange:
    """Return what is to be judged: the fresh turns, and those that only came too soon."""
    fates = [_fate(seen.get(turn.receipt_of(NODE))) for turn in turns]
    last_kept = max((n for n, fate in enumerate(fates, 1) if fate == "kept"), default=0)
    since = list(zip(turns, fates, strict=True))[last_kept:]
    open_turns = [turn for turn, fate in since if fate in {"fresh", "too_soon"}]
    first = turns.index(open_turns[0])
    return Exchange(
        said=_said(open_turns),
        earlier=_said(turns[:first]),
        window=_said([turn for turn, _ in since])[-context.capture.window_n :],
        facts_changed=any(_changed_facts(seen.get(t.receipt_of(HOTPATH))) for t in open_turns),
        source=_source(fresh),
        now=clock.utc_now(),
        zone=context.zone,
    )


def _fate(entry: LedgerEntry | None) -> Literal["fresh", "too_soon", "settled", "kept"]:
    """Say what became of a turn when it was last looked at."""
    if entry is None:
        return "fresh"
    if any(decision.action in {"create", "merge"} for decision in entry.decisions):
        return "kept"
    return "too_soon" if any(d.reason == "cooldown" for d in entry.decisions) else "settled"


def _changed_facts(entry: LedgerEntry | None) -> bool:
    return entry is not None and any(d.action != "skip" for d in entry.decisions)


def _said(turns: Sequence[Turn]) -> tuple[Said, ...]:
    return tuple(said for turn in turns for said in turn.said)


def _source(turns: Sequence[Turn]) -> Source:
    message_ids = tuple(turn.message_id for turn in turns)
    return turns[-1].source.model_copy(update={"message_ids": message_ids})
