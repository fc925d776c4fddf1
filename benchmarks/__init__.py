"""Measurements on public data; the data itself is never part of this repository."""
