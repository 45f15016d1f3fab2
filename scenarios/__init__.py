"""Scenarios and experiments: parameters, data, coalitions, claims, expected counts.

Data, not logic.
"""
