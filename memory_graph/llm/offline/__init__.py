"""What stands in for a language model where none is configured: rules, and no network."""
