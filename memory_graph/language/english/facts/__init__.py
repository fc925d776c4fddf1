"""Read English statements about the user into facts with keys, by rules."""
