"""What is done with memory, once for nodes, tools, middleware and commands."""
