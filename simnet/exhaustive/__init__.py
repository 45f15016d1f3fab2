"""The exhaustive reading: every discrete coin played out with its exact probability, and the exact
laws of views.
"""
