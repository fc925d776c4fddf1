"""Read English time phrases: past times that are asked about, and dates that are stated."""
