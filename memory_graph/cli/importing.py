"""How is memory from elsewhere brought in, and what came of it told?"""

from uuid import uuid4

from memory_graph import clock
from memory_graph.cli.exit_codes import FAILED
from memory_graph.cli.presenter import Presenter
from memory_graph.cli.telling import count
from memory_graph.migrate.incoming import Incoming
from memory_graph.steps.imports import Plan, apply_import, plan_import
from memory_graph.steps.patterns import Change
from memory_graph.storage.scope import UserMemory


async def plan_and_apply(
    memory: UserMemory, incoming: Incoming, show: Presenter, *, dry_run: bool, overwrite: bool
) -> int:
    """Bring records in, or only say what that would change; fail if any could not be read."""
    plan = await plan_import(memory, incoming, overwrite=overwrite)
    if not dry_run:
        change = Change(id=uuid4().hex, by="import", at=clock.utc_now())
        with show.progress("Importing") as advance:
            await apply_import(memory, plan, change, advance)
    if show.as_json:
        unusable = [{"where": each.where, "reason": each.reason} for each in plan.unusable]
        show.data({**plan.counts, "unusable": unusable, "dry_run": dry_run})
    else:
        _show(show, plan, dry_run=dry_run)
    return FAILED if plan.unusable else 0


def _show(show: Presenter, plan: Plan, *, dry_run: bool) -> None:
    create, update, keep = (plan.counts[fate] for fate in ("create", "update", "keep"))
    done = "Would import" if dry_run else "Imported"
    show.line(f"{done}: {create} new, {update} changed; {keep} already known.")
    for each in plan.unusable:
        show.problem(f"{each.where} {each.reason}")
    if plan.unusable:
        show.problem(f"{count(len(plan.unusable), 'entry', 'entries')} could not be used.")
