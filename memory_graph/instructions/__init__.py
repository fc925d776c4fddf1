"""Instructions: how the user wants the agent to work."""
