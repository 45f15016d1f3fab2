"""What messages carry: field elements, indices, bits, reals, public keys, signatures and boxes.

The wire type of an array says how the array is sent. Operations on an array are billed to the party
that holds it.
"""
