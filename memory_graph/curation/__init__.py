"""What a person does to memory: look up, audit, forget, undo, validate."""
