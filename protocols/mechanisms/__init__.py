"""Local mechanisms: each perturbs a user's value before the user reports it."""
