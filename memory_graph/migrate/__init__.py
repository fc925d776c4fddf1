"""Memory that was kept elsewhere, as records of ours: pure readers, one per format."""
