"""Sampling Privacy: the number of owners who hold each value, from two rounds of answers."""
