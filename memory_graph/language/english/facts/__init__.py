"""Read English statements about the user into facts with keys, by rules."""

from memory_graph.language.english.facts.reader import read_facts

__all__ = ["read_facts"]
