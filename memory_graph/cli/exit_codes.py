"""What does an exit code say?"""

FAILED = 1
"""It did not work, or what was asked for is not there."""

USAGE = 2
"""Wrong usage or wrong settings."""

INTERRUPTED = 130
"""Ctrl-C, as shells count it."""
