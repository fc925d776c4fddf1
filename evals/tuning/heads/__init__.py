"""The heads of `memory_graph.language` are trained and measured here."""
