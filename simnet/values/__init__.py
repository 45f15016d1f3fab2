"""What messages carry: field elements, indices, bits and reals, with their meters and their wire
format.
"""
