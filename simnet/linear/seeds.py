"""Seeds, secret keys and keys of boxes, as linear forms.

A script may use any row of field elements as a seed. An instrument that reads the script has to
know the *form* of the seed: which coins and secrets the seed is made from. Two seeds over one field
count as the same seed if their forms are equal. So a seed that was shared, and that somebody
recovered from the shares, is the original seed.

>>> from simnet.linear.terms import fresh
>>> coins = fresh(10, rows=1, lanes=4)
>>> same = split_rows(refine(coins, 1), 1)[0]
>>> same.lanes, same.rows, form_key(same) == form_key(coins)
(4, 1, True)
"""

import attrs
import numpy as np

from simnet.linear.terms import Terms, between, refine, take


@attrs.frozen(eq=False)
class Seed:
    """The form of a seed of `length` elements over the field with this modulus.

    `kind` says what a party used the seed as: a seed, a secret key, or the key of a box.
    """

    kind: str
    modulus: int
    length: int
    terms: Terms


@attrs.frozen(eq=False)
class Agreement:
    """A seed that two holders of secret keys have agreed on; `keys` are the digests of the secret
    keys.
    """

    keys: tuple[bytes, bytes]


Query = Seed | Agreement


def split_rows(terms: Terms, count: int) -> list[Terms]:
    """Return the forms of an array with `count` rows, row by row.

    Each result has the forms of one row of the array: as a single row with a lane for each form, if
    this is possible, and otherwise as rows with one lane.
    """
    elements = terms.rows * terms.lanes
    length = elements // count
    if terms.lanes == length:
        return [between(terms, place, place + 1) for place in range(count)]
    fine = refine(terms, 1)
    rows = [between(fine, place * length, (place + 1) * length) for place in range(count)]
    return [_coarse(row) for row in rows]


def form_key(terms: Terms) -> bytes:
    """Return bytes that are equal exactly for equal forms with equally many lanes."""
    head = np.array([terms.lanes, terms.rows], dtype=np.int64)
    return b"".join(
        part.astype(np.int64).tobytes()
        for part in (head, terms.starts, terms.unknowns, terms.coefficients)
    )


def _coarse(terms: Terms) -> Terms:
    """Return rows of one lane as one row of many lanes, if this is possible. Otherwise return them
    unchanged.
    """
    lanes = terms.rows
    lengths = terms.lengths
    if lanes < 2 or np.any(lengths != lengths[0]):
        return terms
    width = int(lengths[0])
    unknowns = terms.unknowns.reshape(lanes, width)
    coefficients = terms.coefficients.reshape(lanes, width)
    if np.any(unknowns != unknowns[0] + np.arange(lanes)[:, np.newaxis]):
        return terms
    if np.any(coefficients != coefficients[0]):
        return terms
    first = take(terms, np.array([0]))
    return Terms(first.starts, first.unknowns, first.coefficients, lanes)
