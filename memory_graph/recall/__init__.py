"""What memory holds that bears on a message."""
