"""What messages carry: field elements, indices, bits, reals, public keys, signatures and boxes.

An array knows how it travels, and bills the operations done on it to the party that holds it.
"""
