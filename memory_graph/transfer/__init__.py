"""Move memory in and out: exports, imports and notes."""
