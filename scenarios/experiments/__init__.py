"""Experiments: every figure and table of the papers, as a grid, a trial, and what the papers
quote.
"""
