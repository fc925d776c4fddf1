"""Recall: find what bears on a message, rank it, and write it for the prompt."""
