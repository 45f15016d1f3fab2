"""Benchmarks of protocols and mechanisms."""
