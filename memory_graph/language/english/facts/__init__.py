"""English statements about the user, read by rules into facts with deterministic keys."""

from memory_graph.language.english.facts.reader import read_facts

__all__ = ["read_facts"]
