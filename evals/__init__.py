"""Memory quality, measured on labelled cases; run it with `python -m evals`."""
