"""Labelled sets and the scripts that measure policies on them."""
