"""`maintain`: look after one user's episodes; says what it would do before it does it."""

from argparse import Namespace

from memory_graph import clock
from memory_graph.cli.opening import load_settings, open_user
from memory_graph.cli.presenter import Presenter
from memory_graph.cli.tables import short_id
from memory_graph.steps.maintain import maintain


async def run(args: Namespace, show: Presenter) -> int:
    """Print what is to change, and change it with `--apply`."""
    policy = load_settings().upkeep
    async with open_user(args) as memory:
        decisions = await maintain(memory, policy, clock.utc_now(), apply=args.apply)
    if show.as_json:
        show.data(
            {
                "applied": args.apply,
                "changes": [{"id": each.memory_id, "reason": each.reason} for each in decisions],
            }
        )
        return 0
    rows = [(short_id(each.memory_id or ""), each.action, each.reason) for each in decisions]
    show.table("Changes", ("id", "action", "reason"), rows)
    if decisions and not args.apply:
        show.line("Nothing was changed; `--apply` does it.", "dim")
    return 0
