"""Claims and theorems of the papers that are judged by computing.

A claim is compared with an exact value for given parameters. Most theorems are judged for many
parameters at once.
"""
