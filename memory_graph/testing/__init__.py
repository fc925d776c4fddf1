"""A testing kit for agents with memory: a scripted model, a clock to move, scenarios.

talk = Scenario(GraphSurface(graph, store))
await talk.user_says("I live in Lisbon.")
await talk.expect_fact("profile:city", value="Lisbon")
talk.wait(days=1)
await talk.user_says("Where do I live?")
talk.expect_recall("found")
"""

from memory_graph.clock import frozen
from memory_graph.testing.scenario import (
    GraphSurface,
    Heard,
    MovingClock,
    Saying,
    Scenario,
    ServerSurface,
    Surface,
)
from memory_graph.testing.scripted import ScriptedChat

__all__ = [
    "GraphSurface",
    "Heard",
    "MovingClock",
    "Saying",
    "Scenario",
    "ScriptedChat",
    "ServerSurface",
    "Surface",
    "frozen",
]
