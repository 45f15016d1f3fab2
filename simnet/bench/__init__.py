"""Benchmarks: figures with their targets, measured in one go."""
