"""The papers' claims, each with what it states, what is exact, and whether it holds there."""
