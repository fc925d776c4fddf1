"""Searching thresholds and weights on the tune split, and the records of it."""
