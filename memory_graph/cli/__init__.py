"""The `memory-graph` command."""
