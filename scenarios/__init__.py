"""Scenarios and experiments: parameters, data, collusion sets, claims, expected counts.

Data, not logic.
"""
