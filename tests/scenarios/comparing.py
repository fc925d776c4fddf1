"""What is compared between surfaces: what was written, and what was decided."""

from dataclasses import dataclass

from memory_graph.testing.scenario import Scenario, Surface
from tests.scenarios.scenarios import SCENARIOS

USERS = ("ana", "ben")


@dataclass(frozen=True)
class Outcome:
    """What a scenario left behind."""

    replies: tuple[str, ...]
    decisions: tuple[tuple[tuple[str, str], ...], ...]
    memories: tuple[dict[str, object], ...]


async def run(name: str, surface: Surface) -> Outcome:
    """Run a scenario with its expectations, and return what it left behind."""
    talk = Scenario(surface)
    await SCENARIOS[name](talk)
    decisions = tuple(
        tuple((str(e["event"]), str(e["reason"])) for e in heard.events if "reason" in e)
        for heard in talk.turns
    )
    written = [each for user in USERS for each in await surface.memories(user)]
    memories = tuple(_without_runs(each.model_dump(mode="json")) for each in written)
    return Outcome(tuple(heard.reply for heard in talk.turns), decisions, memories)


def _without_runs(value):
    """Leave out the one thing that differs by design: the id of the run."""
    if isinstance(value, dict):
        return {key: _without_runs(each) for key, each in value.items() if key != "run_id"}
    return [_without_runs(each) for each in value] if isinstance(value, list) else value
