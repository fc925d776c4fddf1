"""Long-term memory for LangGraph agents that people can read, test and trust."""
