"""What messages carry: field elements, indices, bits and reals.

An array knows how it travels, and bills the operations done on it to the party that holds it.
"""
