"""`learn`: propose patterns from what kept working or failing."""

from argparse import Namespace
from collections.abc import Sequence
from uuid import uuid4

from memory_graph import clock
from memory_graph.cli.opening import context_of, open_user
from memory_graph.cli.presenter import Presenter
from memory_graph.cli.tables import show_patterns
from memory_graph.llm.models import models_for
from memory_graph.records import Pattern
from memory_graph.steps.learning import learn, preview
from memory_graph.steps.patterns import Change
from memory_graph.storage.scope import UserMemory


async def run(args: Namespace, show: Presenter) -> int:
    """Propose patterns; each waits until somebody confirms it."""
    async with open_user(args) as memory:
        proposed = await _propose(args, memory)
    if show.as_json:
        show.data([each.model_dump(mode="json") for each in proposed])
        return 0
    show_patterns(show, proposed)
    if proposed and not args.dry_run:
        show.line("Decide with `memory-graph patterns confirm NAME` or `reject NAME`.")
    return 0


async def _propose(args: Namespace, memory: UserMemory) -> Sequence[Pattern]:
    context = context_of(args)
    change = Change(id=uuid4().hex, by="learn", at=clock.utc_now())
    model = models_for(context).episode
    if args.dry_run:
        return await preview(memory, context.learning, change, model)
    learned = await learn(memory, context.learning, change, model)
    return [Pattern.model_validate(decision.after) for decision in learned.decisions]
