"""Memory quality, measured: labelled sets and the commands that score them."""
