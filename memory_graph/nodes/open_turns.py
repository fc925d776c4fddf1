"""Of which turns are the facts still to be kept?

A turn that was handled has a receipt. One without was left out by a crash or an outage;
or memory was off then, the history was brought along, or everything was to be forgotten,
and then it is not for memory to go back to it.
"""

from collections.abc import Collection, Mapping, Sequence

from memory_graph.nodes.turn import Turn
from memory_graph.records import LedgerEntry

NODE = "memory_hotpath"
PENDING = "model_unavailable"


def waiting_turns(
    turns: Sequence[Turn], receipts: Mapping[str, LedgerEntry], window: int
) -> list[int]:
    """Return the places of turns before the last that the ledger shows to be open.

    Either no model answered for them, or they have no receipt and one before them has.
    """
    last = len(turns) - 1
    open_turns: list[int] = []
    is_kept = False
    for place in range(max(last - window, 0), last):
        entry = receipts.get(turns[place].receipt_of(NODE))
        left_out = entry is None and is_kept and _same_speaker(turns[place], turns[last])
        if place > last - window and (_is_pending(entry) or left_out):
            open_turns.append(place)
        is_kept = is_kept or entry is not None
    return open_turns


def missed_turns(
    turns: Sequence[Turn],
    receipts: Mapping[str, LedgerEntry],
    window: int,
    missed: Collection[str],
) -> list[int]:
    """Return the places of turns before the last that were begun, and never got a receipt.

    Either the thread remembers that the store failed (`missed`, message ids), or nobody
    answered them, up to this turn: their run died. So the first turn of a thread is made up
    for, too, and a history from elsewhere, which has its answers, is not read.
    """
    last = len(turns) - 1
    open_turns: list[int] = []
    is_unanswered = True
    for place in range(last - 1, max(last - window, -1), -1):
        turn = turns[place]
        has_receipt = turn.receipt_of(NODE) in receipts
        is_unanswered = is_unanswered and not has_receipt and not turn.is_answered
        is_missed = turn.message_id in missed or is_unanswered
        if is_missed and not has_receipt and _same_speaker(turn, turns[last]):
            open_turns.append(place)
    return open_turns


def _is_pending(entry: LedgerEntry | None) -> bool:
    return entry is not None and any(each.reason == PENDING for each in entry.decisions)


def _same_speaker(one: Turn, other: Turn) -> bool:
    """Say whether two turns are one person's; in a group, messages come with names."""
    return one.speaker == other.speaker
