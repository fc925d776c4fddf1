"""Typed access to the LangGraph store, already scoped to one user."""
