"""`memories pin|unpin|forget|undo`: what a person changes by hand."""

from argparse import Namespace

from memory_graph import clock
from memory_graph.cli.exit_codes import USAGE
from memory_graph.cli.opening import open_user
from memory_graph.cli.presenter import Presenter
from memory_graph.cli.telling import count
from memory_graph.policy.pattern_rendering import render_pattern
from memory_graph.records import Fact, Pattern
from memory_graph.steps.by_hand import Memory
from memory_graph.steps.forget import BEYOND_REACH, Forgotten, forget, forget_everything
from memory_graph.steps.lookup import find_entry, find_fact, find_memory
from memory_graph.steps.pin import pin
from memory_graph.steps.undo import undo


async def pin_memories(args: Namespace, show: Presenter) -> int:
    """Pin a fact."""
    return await _set_pinned(args, show, pinned=True)


async def unpin_memories(args: Namespace, show: Presenter) -> int:
    """Unpin a fact."""
    return await _set_pinned(args, show, pinned=False)


async def _set_pinned(args: Namespace, show: Presenter, *, pinned: bool) -> int:
    async with open_user(args) as memory:
        fact = await find_fact(memory, args.id)
        changed = await pin(memory, fact, pinned=pinned, now=clock.utc_now())
    state = "pinned" if pinned else "not pinned"
    if show.as_json:
        show.data({"id": fact.id, "pinned": pinned, "changed": changed})
    else:
        show.line(f"{fact.id} is {state}{'' if changed else ' already'}.")
    return 0


async def forget_memories(args: Namespace, show: Presenter) -> int:
    """Forget one memory, or everything about a user, once that is confirmed."""
    if args.all == bool(args.id):
        show.problem("Say what to forget: an ID, or --all.")
        return USAGE
    return await (_forget_all if args.all else _forget_one)(args, show)


async def _forget_one(args: Namespace, show: Presenter) -> int:
    async with open_user(args) as memory:
        record = await find_memory(memory, args.id)
        if not _confirmed(args, show, f"{record.id}: {_told(record)}"):
            return USAGE
        forgotten = await forget(memory, record, clock.utc_now())
    if show.as_json:
        show.data(
            {
                "forgotten": record.id,
                "ledger_entries": forgotten.ledger_entries,
                "told_in": forgotten.told_in,
                "beyond_reach": BEYOND_REACH,
            }
        )
    else:
        show_forgotten(show, forgotten)
    return 0


async def _forget_all(args: Namespace, show: Presenter) -> int:
    if not _confirmed(args, show, f"everything about {args.user}"):
        return USAGE
    async with open_user(args) as memory:
        counts = await forget_everything(memory, clock.utc_now())
    if show.as_json:
        show.data({"forgotten": counts, "beyond_reach": BEYOND_REACH})
        return 0
    held = ", ".join(f"{name} {number}" for name, number in sorted(counts.items()))
    show.line(f"Forgot everything about {args.user}: {held or 'there was nothing'}.")
    _show_beyond_reach(show)
    return 0


def show_forgotten(show: Presenter, forgotten: Forgotten) -> None:
    """Say what was removed, and where its text may live on."""
    cleaned = count(forgotten.ledger_entries, "ledger entry", "ledger entries")
    show.line(f"Forgot {forgotten.record.id}, and what {cleaned} said about it.")
    if forgotten.told_in:
        episodes = ", ".join(forgotten.told_in)
        show.line(f"Told in the same messages, and still there: {episodes}.", "warning")
    _show_beyond_reach(show)


def _show_beyond_reach(show: Presenter) -> None:
    show.line(f"Out of reach: {'; '.join(BEYOND_REACH)}.", "dim")


def _confirmed(args: Namespace, show: Presenter, what: str) -> bool:
    if args.yes:
        return True
    if not show.is_interactive or show.as_json:
        show.problem("Forgetting cannot be undone; confirm with --yes.")
        return False
    return show.confirm(f"Forget {what}?")


def _told(record: Memory) -> str:
    if isinstance(record, Pattern):
        return render_pattern(record).removeprefix("- ")
    return record.statement if isinstance(record, Fact) else record.human_line


async def undo_memories(args: Namespace, show: Presenter) -> int:
    """Restore what a decision replaced."""
    name, _, number = args.entry.partition("#")
    if number and not number.isdecimal():
        show.problem(f"{args.entry!r} is not ENTRY or ENTRY#N, as `memory-graph why` names it.")
        return USAGE
    async with open_user(args) as memory:
        entry = await find_entry(memory, name)
        undone = await undo(memory, entry, int(number) if number else None, clock.utc_now())
    if show.as_json:
        show.data(
            [
                {
                    "was": each.was.model_dump(mode="json") if each.was else None,
                    "restored": each.restored.model_dump(mode="json") if each.restored else None,
                }
                for each in undone
            ]
        )
        return 0
    for each in undone:
        if each.restored is None and each.was is not None:
            show.line(f"{each.was.id} is gone again.")
        elif each.restored is not None:
            show.line(f"{each.restored.id} is again: {_told(each.restored)}")
    return 0
