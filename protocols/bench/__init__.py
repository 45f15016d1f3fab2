"""Benchmarks of protocols and mechanisms, beside published libraries."""
