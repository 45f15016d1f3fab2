"""Frequencies of items from users of whom only some send a report."""
