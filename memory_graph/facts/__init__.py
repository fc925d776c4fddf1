"""What is known: facts about the user and those close to them."""
