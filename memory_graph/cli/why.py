"""`why`: every decision about a memory, with its scores."""

from argparse import Namespace
from collections.abc import Sequence
from zoneinfo import ZoneInfo

from memory_graph.cli.opening import open_user, zone_of
from memory_graph.cli.presenter import Presenter
from memory_graph.cli.telling import tell_scores
from memory_graph.records import LedgerEntry
from memory_graph.steps.lookup import entries_about, short_name


async def run(args: Namespace, show: Presenter) -> int:
    """Print when a memory was made, changed and checked, by which node and why."""
    async with open_user(args) as memory:
        memory_id, entries = await entries_about(memory, args.id)
    if show.as_json:
        show.data([entry.model_dump(mode="json") for entry in entries])
    else:
        show_entries(show, memory_id, entries, zone_of(args))
    return 0


def show_entries(
    show: Presenter, memory_id: str, entries: Sequence[LedgerEntry], zone: ZoneInfo
) -> None:
    """Print the decisions about a memory, oldest first, each as `undo` takes it."""
    rows = [
        (
            f"{entry.at.astimezone(zone):%Y-%m-%d %H:%M}",
            f"{short_name(entry.id)}#{number}",
            decision.action,
            decision.reason,
            tell_scores(decision),
        )
        for entry in entries
        for number, decision in enumerate(entry.decisions, start=1)
        if decision.memory_id == memory_id
    ]
    show.table(
        f"Decisions about {memory_id}", ("when", "entry", "action", "reason", "scores"), rows
    )
