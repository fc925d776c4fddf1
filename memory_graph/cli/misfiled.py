"""`migrate misfiled`: move what is kept as the wrong kind of memory."""

from argparse import Namespace
from collections.abc import Sequence

from memory_graph import clock
from memory_graph.cli.opening import open_user, zone_of
from memory_graph.cli.presenter import Presenter
from memory_graph.cli.telling import count
from memory_graph.records import Episode, LedgerEntry
from memory_graph.steps.lookup import short_name
from memory_graph.steps.misfiled import Misfiled, find_misfiled, move_misfiled


async def run(args: Namespace, show: Presenter) -> int:
    """Show what would be moved; move it with `--apply`."""
    entries: Sequence[LedgerEntry] = ()
    async with open_user(args) as memory:
        found = await find_misfiled(memory)
        if args.apply:
            now = clock.utc_now()
            entries = await move_misfiled(memory, found, zone=zone_of(args), now=now)
    if show.as_json:
        show.data([_as_data(each) for each in found])
        return 0
    for each in found:
        show.line(_told(each))
    if entries:
        undo = ", ".join(short_name(entry.id) for entry in entries)
        show.line(f"Moved {count(len(found), 'memory', 'memories')}. Undo with: {undo}.", "good")
    else:
        advice = " Move with --apply." if found else ""
        show.line(f"Misfiled: {count(len(found), 'memory', 'memories')}.{advice}")
    return 0


def _as_data(misfiled: Misfiled) -> dict[str, object]:
    is_episode = isinstance(misfiled.record, Episode)
    return {
        "id": misfiled.record.id,
        "from": "episode" if is_episode else "fact",
        "to": "fact" if is_episode else "episode",
        "facts": [fact.statement for fact in misfiled.facts],
    }


def _told(misfiled: Misfiled) -> str:
    if isinstance(misfiled.record, Episode):
        facts = " ".join(fact.statement for fact in misfiled.facts)
        return f"{misfiled.record.id} (episode) is a fact: {facts}"
    return f"{misfiled.record.id} (fact) is an episode: {misfiled.record.statement}"
