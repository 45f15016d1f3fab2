"""Privacy mathematics: exact profiles, and what the papers claim."""
