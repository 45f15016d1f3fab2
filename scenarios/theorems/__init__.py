"""Claims and theorems of the papers that are judged by computing.

A claim stands beside the exact value, and says whether it holds for given parameters. A theorem is
judged for many parameters at once.
"""
