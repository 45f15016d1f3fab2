"""Exact arithmetic mod q on arrays of int64, for every prime modulus below 2**62."""

import numpy as np

from simnet.arrays import Ints

_INT64_LIMIT = 1 << 63
_SMALL = 1 << 20


def times(a: Ints, b: Ints | int, modulus: int) -> Ints:
    """Return `a * b` mod q for residues `0..q-1`, with numpy's broadcasting."""
    if (modulus - 1) ** 2 < _INT64_LIMIT:
        return np.asarray(a * b % modulus)
    wide = np.asarray(a).astype(object) * (b if isinstance(b, int) else b.astype(object)) % modulus
    return np.asarray(wide, dtype=np.int64)


def run_sums(values: Ints, starts: Ints, modulus: int) -> Ints:
    """Return sums of consecutive rows, mod q. Sum k adds up the rows from `starts[k]` to
    `starts[k + 1] - 1`, and the last sum adds up all rows from its start to the end. Every sum must
    have a row.
    """
    longest = len(values)
    if longest * (modulus - 1) >= _INT64_LIMIT:
        longest = int(np.diff(np.append(starts, len(values))).max(initial=0))
    if longest * (modulus - 1) < _INT64_LIMIT:
        return np.asarray(np.add.reduceat(values, starts) % modulus)
    return np.asarray(np.add.reduceat(values.astype(object), starts) % modulus, dtype=np.int64)


def inverses(values: Ints, modulus: int) -> Ints:
    """Return the inverse mod q of each element. No element may be 0."""
    # Mostly there are only a few different values, so we call Python's slow `pow` once for each of
    # them.
    if modulus <= _SMALL:  # a table of all residues is quicker than sorting
        distinct = np.flatnonzero(np.bincount(values, minlength=1))
        table = np.zeros(modulus, dtype=np.int64)
        table[distinct] = [pow(int(value), -1, modulus) for value in distinct]
        return table[values]
    distinct, places = np.unique(values, return_inverse=True)
    inverted = np.array([pow(int(value), -1, modulus) for value in distinct], dtype=np.int64)
    return inverted[places]
