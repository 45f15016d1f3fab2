"""Products of secret-shared numbers, with random products from a dealer."""
