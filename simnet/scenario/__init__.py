"""One run: a scenario, the people in it, its claims, and what its result is worth."""
