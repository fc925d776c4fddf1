"""`shards`: how many users live on each store of a sharded one, and moving them."""

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from memory_graph.cli.open import open_store
from memory_graph.cli.output import Presenter
from memory_graph.cli.parser import Group, add_action, add_actions, add_parser, set_run
from memory_graph.errors import ConfigurationError
from memory_graph.store.backends.sharded import ShardedStore, move_users, spread, users_of
from memory_graph.store.scope import user_label

_AT_ONCE = 200
"""Users that move together: each group waits once for all workers."""


def define_shards(command: ArgumentParser) -> None:
    """Add the actions of `shards`."""
    actions = add_actions(command)
    set_run(add_parser(actions, "list", "count the users on each shard", ""), run_list)
    example = "--user ana --to b"
    move = add_action(actions, "move", run_move, "move a user, who may go on talking", example)
    move.add_argument("--to", required=True, metavar="NAME", help="the shard to move to")
    everybody = add_parser(actions, "spread", "move users until all shards have their share", "")
    set_run(everybody, run_spread)


async def run_list(args: Namespace, show: Presenter) -> int:
    """Print how many users each shard holds."""
    async with _sharded(args) as store:
        held = await users_of(store)
        counts = Counter(name for names in held.values() for name in names)
    if show.as_json:
        show.data({name: counts[name] for name in store.shards})
        return 0
    for name in store.shards:
        note = "" if name in store.homes else " (takes moved users only)"
        show.line(f"{name}: {counts[name]} users{note}")
    return 0


async def run_move(args: Namespace, show: Presenter) -> int:
    """Move one user."""
    async with _sharded(args) as store:
        moved = await move_users(store, {user_label(args.user): args.to})
    show.line(f"Moved to {args.to}." if moved else f"Already on {args.to}.")
    return 0


async def run_spread(args: Namespace, show: Presenter) -> int:
    """Move users in groups, so that an interrupted run has finished the ones before."""
    moved = 0
    async with _sharded(args) as store:
        held = list((await users_of(store)).items())
        for start in range(0, len(held), _AT_ONCE):
            moved += await spread(store, dict(held[start : start + _AT_ONCE]))
            show.line(f"{min(start + _AT_ONCE, len(held))} of {len(held)} users looked at.")
    show.line(f"Moved {moved} users.")
    return 0


@asynccontextmanager
async def _sharded(args: Namespace) -> AsyncIterator[ShardedStore]:
    async with open_store(args) as opened:
        if not isinstance(opened.store, ShardedStore):
            raise ConfigurationError(
                "This store has no shards. Name them as `sharded:a=postgresql://… b=postgresql://…`."
            )
        yield opened.store


COMMANDS: Group = {"shards": define_shards}
