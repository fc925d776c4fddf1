"""Measured quality: labelled cases, and the commands that score the package on them."""
