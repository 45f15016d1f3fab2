"""Frequencies of items from users who each send a report with some probability."""
