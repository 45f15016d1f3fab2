"""Sampling Privacy: owners of data are asked twice, and throw a die once for both answers."""
