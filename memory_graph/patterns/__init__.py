"""Patterns: what tends to work, how often it was observed, and what causes what."""
