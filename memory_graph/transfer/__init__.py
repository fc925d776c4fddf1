"""Memory in and out: exports, imports and notes."""
