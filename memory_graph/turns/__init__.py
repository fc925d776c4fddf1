"""Turns: what was said, word for word."""
