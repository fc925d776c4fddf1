"""Measurements of the product on labelled cases."""
