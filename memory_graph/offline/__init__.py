"""Replies without a model, from memory alone."""
