"""Measurements on labelled cases; run one with `python -m evals.<name>`."""
