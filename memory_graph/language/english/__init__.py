"""What only English is read by."""
