"""What messages carry: field elements, indices, bits, reals, public keys, signatures and boxes."""
