"""`bootstrap`: what should a new thread know before it starts on a task?"""

from argparse import Namespace

from memory_graph import clock
from memory_graph.cli.opening import context_of, open_user
from memory_graph.cli.presenter import Presenter
from memory_graph.steps.bootstrap import tell


async def run(args: Namespace, show: Presenter) -> int:
    """Print the briefing that an agent would get."""
    context, now = context_of(args), clock.utc_now()
    async with open_user(args) as memory:
        told = await tell(memory, args.task, context, now, budget=args.budget)
    if show.as_json:
        show.data({"task": args.task, "briefing": told.text, "tokens": told.tokens})
    else:
        show.line(told.text or "Memory holds nothing that fits this task.")
    return 0
