"""Sampling Privacy: owners of data are asked twice, with the same throw of a die behind both
answers.
"""
