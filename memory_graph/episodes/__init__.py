"""What happened: episodes, their capture and their chains."""
