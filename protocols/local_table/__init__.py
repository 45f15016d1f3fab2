"""Means and frequencies of a table from locally perturbed reports."""
