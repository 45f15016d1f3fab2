"""Frequencies of items from sampled users: only some of the users send a report."""
