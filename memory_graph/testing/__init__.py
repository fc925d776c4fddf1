"""For tests of agents that remember: a scripted model, a clock that is moved, scenarios.

talk = Scenario(GraphSurface(graph, store))
await talk.user_says("I live in Lisbon.")
await talk.expect_fact("profile:city", value="Lisbon")
talk.wait(days=1)
await talk.user_says("Where do I live?")
talk.expect_recall("found")
"""

from memory_graph.clock import frozen
from memory_graph.testing.moving_clock import MovingClock
from memory_graph.testing.scenario import Scenario
from memory_graph.testing.scripted import ScriptedChat
from memory_graph.testing.surfaces import GraphSurface, Heard, Saying, ServerSurface, Surface

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
