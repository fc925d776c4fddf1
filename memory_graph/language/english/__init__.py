"""Rules and grammars for English."""
