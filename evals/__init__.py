"""Measurements of single policies against labelled sentences."""
