"""What a person does to memory: look up, change, forget, undo."""
