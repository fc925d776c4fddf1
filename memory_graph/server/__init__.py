"""What `langgraph.json` loads into LangGraph Server."""
