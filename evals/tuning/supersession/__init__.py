"""How the judge of corrections is trained and measured."""
