"""`bootstrap`: what should a new thread know before it starts on a task?"""

from argparse import Namespace

from memory_graph import clock
from memory_graph.cli.opening import context_of, open_user
from memory_graph.cli.presenter import Presenter
from memory_graph.policy.bootstrap import render_briefing
from memory_graph.steps.bootstrap import brief
from memory_graph.tokens import count_tokens


async def run(args: Namespace, show: Presenter) -> int:
    """Print the briefing that an agent would get."""
    context = context_of(args)
    policy = context.bootstrap
    async with open_user(args) as memory:
        briefing = await brief(memory, args.task, policy, context.causality, clock.utc_now())
    budget = args.budget or policy.token_budget
    told = render_briefing(briefing, budget=budget, count=count_tokens)
    if show.as_json:
        show.data({"task": args.task, "briefing": told, "tokens": count_tokens(told)})
    else:
        show.line(told or "Memory holds nothing that fits this task.")
    return 0
