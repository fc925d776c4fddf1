"""The nodes of the graph, one file each, with the name that the graph uses."""

from memory_graph.nodes.episodic_capture import episodic_capture
from memory_graph.nodes.memory_context import memory_context
from memory_graph.nodes.memory_hotpath import memory_hotpath
from memory_graph.nodes.supervisor import supervisor

__all__ = ["episodic_capture", "memory_context", "memory_hotpath", "supervisor"]
