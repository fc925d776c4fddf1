"""`decisions`: which decisions of an episode led to what?"""

from argparse import Namespace

from memory_graph.cli.opening import open_user
from memory_graph.cli.presenter import Presenter
from memory_graph.policy.decision_graph import (
    decision_sequence,
    draw_mermaid,
    find_link_problems,
)
from memory_graph.policy.decision_rendering import render_decisions
from memory_graph.records import Episode
from memory_graph.steps.lookup import find_episode


async def run(args: Namespace, show: Presenter) -> int:
    """Print the decisions of an episode in order, or draw them."""
    async with open_user(args) as memory:
        episode = await find_episode(memory, args.id)
    if show.as_json:
        show.data(_as_json(episode))
    else:
        show.line(draw_mermaid(episode) if args.mermaid else render_decisions(episode))
    return 0


def _as_json(episode: Episode) -> dict[str, object]:
    return {
        "episode": episode.id,
        "decisions": [each.model_dump(mode="json") for each in decision_sequence(episode)],
        "broken": [
            {"source": each.source, "field": each.field, "target": each.target}
            for each in find_link_problems(episode)
        ],
        "mermaid": draw_mermaid(episode),
    }
