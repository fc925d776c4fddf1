"""What tends to work: patterns, their evidence and what causes what."""
