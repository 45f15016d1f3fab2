"""Local mechanisms: each perturbs a user's value, so that the report says little about it."""
