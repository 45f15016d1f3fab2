"""Frequencies of items from locally perturbed reports."""
