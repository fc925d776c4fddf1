"""What LangGraph Server loads by path from `langgraph.json`."""
