"""Benchmarks: figures of speed and memory, each with its target."""
