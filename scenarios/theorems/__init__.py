"""Claims of the papers that can be computed.

Each claim stands beside the exact value, and says whether it holds for given parameters.
"""
