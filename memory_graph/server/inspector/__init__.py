"""The inspector: pages on which people see, try and correct their memory."""
