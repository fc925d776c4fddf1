"""Everything that is asked of a chat model, and the offline replacement."""
