"""The command line: parse, call a step, present what came of it."""

from memory_graph.cli.entry import main

__all__ = ["main"]
