"""Rows that are public combinations of a few base rows, written as a product of two matrices.

Theory of operation. Shamir's sharing gives user j the value of a random polynomial at the point j.
So the n shares of a secret are a matrix of public numbers, the powers of the points, times the t
coefficients of the polynomial. Written out, the shares have n·t terms. As a product they have t
terms and the matrix, which several senders may share::

    shares of sender s      = weights @ base of s           weights: n × t, base: t rows
    sums of all the shares  = weights @ (sum of the bases)

`Mixture` keeps rows as such a product. The sum of mixtures that have the same matrix of weights is
again a mixture with this matrix: only the bases are added. So the n sums that the users report to a
server need not be written out.

`echelon` reduces the weights to as many rows as their rank. The reduced rows span the same space,
and they may be short: if a coalition sees t - 1 shares of a secret, each reduced row has one coin
and at most the secret besides.

Example over F_7: the shares of a secret (unknown 9) with one coin (unknown 1) at the points 1, 2
and 3 are c + s, 2c + s and 3c + s.

>>> shares = Mixture(np.array([[1, 1], [2, 1], [3, 1]]), Terms.of_vectors([{1: 1}, {9: 1}]), 1, 7)
>>> shares.terms.vectors()
[{1: 1, 9: 1}, {1: 2, 9: 1}, {1: 3, 9: 1}]
>>> form = echelon(shares.weights, 7)
>>> form.reduced.tolist(), form.rows.tolist(), form.combined.tolist()
([[1, 0], [0, 1]], [0, 1], [[6, 1], [2, 6]])

The last line says: the coin is 6 times the first share plus the second share, and the secret is
twice the first share plus 6 times the second share. The third share is a combination of the others.
"""

import functools
from collections.abc import Sequence
from math import gcd

import attrs
import numpy as np

from simnet.arrays import Ints
from simnet.linear.ranges import Ranges
from simnet.linear.terms import Terms, accumulate, join, refine, shared, take
from simnet.values.residues import products

REMEMBERED = 256  # the number of matrices whose echelon forms are remembered


@attrs.frozen(eq=False)
class Mixture:
    """The rows `weights @ base`, not written out.

    `weights` has shape (count, inner), with residues mod q. The base has `inner` groups of `each`
    rows. The result has `count` *combinations* of these groups, each with `each` rows: row
    `k * each + e` is the sum over i of `weights[k, i]` times row `i * each + e` of the base.
    """

    weights: Ints
    base: Terms
    each: int
    modulus: int

    @property
    def count(self) -> int:
        """The number of combinations. Each combination has `each` rows."""
        return len(self.weights)

    @property
    def inner(self) -> int:
        """The number of groups of base rows."""
        return int(self.weights.shape[1])

    @property
    def rows(self) -> int:
        """The number of rows, of `lanes` forms each."""
        return self.count * self.each

    @property
    def lanes(self) -> int:
        """The number of forms that a row stands for."""
        return self.base.lanes

    @property
    def terms(self) -> Terms:
        """The rows, written out. They are computed anew at each call."""
        places, inner = np.nonzero(self.weights)
        within = np.arange(self.each)
        return accumulate(
            take(self.base, (inner[:, np.newaxis] * self.each + within).reshape(-1)),
            (places[:, np.newaxis] * self.each + within).reshape(-1),
            np.repeat(self.weights[places, inner], self.each),
            self.rows,
            self.modulus,
        )

    def take(self, places: Ints) -> "Mixture":
        """Return the combinations with the given numbers, in the given order."""
        if len(places) == 1:  # a view of the matrix takes no memory
            return attrs.evolve(self, weights=self.weights[places[0] : places[0] + 1])
        return attrs.evolve(self, weights=shared(self.weights[places]))

    def combined(self, weights: Ints) -> "Mixture":
        """Return combinations of the combinations; `weights` has shape (m, count)."""
        return attrs.evolve(self, weights=shared(_times(weights, self.weights, self.modulus)))

    def summed(self, rows: Ints, factors: Ints) -> tuple[Ints, Ints]:
        """Return a combination of rows as a combination of base rows: their numbers, ascending,
        and their factors.
        """
        places, within = np.divmod(rows, self.each)
        total = np.zeros((self.inner, self.each), dtype=np.int64)
        for e in np.unique(within).tolist():
            chosen = within == e
            weights = self.weights[places[chosen]]
            total[:, e] = _times(factors[chosen][np.newaxis], weights, self.modulus)[0]
        flat = total.reshape(-1)
        return np.flatnonzero(flat), flat[flat != 0]

    def refined(self, lanes: int) -> "Mixture":
        """Return the same forms with fewer lanes in a row."""
        pieces = self.lanes // lanes
        if pieces == 1:
            return self
        return attrs.evolve(self, base=refine(self.base, lanes), each=self.each * pieces)

    def is_alike(self, other: "TermRows") -> bool:
        """Whether the other rows are combinations of the same base. The two bases must be one
        object.
        """
        return (
            isinstance(other, Mixture)
            and self.base is other.base
            and self.each == other.each
            and self.modulus == other.modulus
        )


TermRows = Terms | Mixture | Ranges  # rows of forms, written out or not


def written_out(rows: TermRows) -> Terms:
    """Return the rows as terms."""
    return rows if isinstance(rows, Terms) else rows.terms


def refined(rows: TermRows, lanes: int) -> TermRows:
    """Return the same forms with fewer lanes in a row."""
    return refine(rows, lanes) if isinstance(rows, Terms) else rows.refined(lanes)


def listed(rows: TermRows) -> Terms:
    """Return terms in which all unknowns of the rows occur, and perhaps other unknowns."""
    return rows.base if isinstance(rows, Mixture) else written_out(rows)


def size_of(rows: TermRows) -> int:
    """Return an upper bound on the number of terms that the rows have when they are written out."""
    if not isinstance(rows, Mixture):
        return len(written_out(rows).unknowns)
    lengths = rows.base.lengths.reshape(rows.inner, rows.each).sum(axis=1)
    return int((np.count_nonzero(rows.weights, axis=0) * lengths).sum())


def added(parts: Sequence[Mixture]) -> Mixture:
    """Return the sum of mixtures that have the same matrix of weights. Their combinations must have
    equally many forms.
    """
    first = parts[0]
    if len(parts) == 1:
        return first
    lanes = gcd(*(part.lanes for part in parts))
    fine = [part.refined(lanes) for part in parts]
    base = join([part.base for part in fine])
    rows = fine[0].base.rows
    targets = np.tile(np.arange(rows), len(fine))
    total = accumulate(base, targets, None, rows, first.modulus)
    return attrs.evolve(fine[0], base=total)


def _times(left: Ints, right: Ints, modulus: int) -> Ints:
    return np.asarray(products(left, right, modulus), dtype=np.int64)


@attrs.frozen(eq=False)
class Echelon:
    """The reduced row echelon form of a matrix.

    `reduced` has shape (rank, inner), and its rows span the same space as those of the matrix.
    `rows` has the numbers of those rows of the matrix that are no combination of earlier rows.
    `combined`, of shape (rank, rank), says how these rows make the reduced rows:
    `reduced = combined @ matrix[rows]`.
    """

    reduced: Ints
    rows: Ints
    combined: Ints


def echelon(matrix: Ints, modulus: int) -> Echelon:
    """Return the reduced row echelon form of a matrix of residues. The results for the latest
    `REMEMBERED` matrices are kept.
    """
    return _echelon(np.ascontiguousarray(matrix).tobytes(), *matrix.shape, modulus)


@functools.lru_cache(maxsize=REMEMBERED)
def _echelon(matrix: bytes, tall: int, wide: int, modulus: int) -> Echelon:
    entries = np.frombuffer(matrix, dtype=np.int64).reshape(tall, wide)
    rows = _pivots(_row_reduced(entries.T, modulus))
    independent = entries[rows]
    both = np.concatenate([independent, np.eye(len(rows), dtype=np.int64)], axis=1)
    reduced = _row_reduced(both, modulus)
    return Echelon(reduced[:, :wide], rows, reduced[:, wide:])


def _row_reduced(matrix: Ints, modulus: int) -> Ints:
    from flint import nmod_mat  # imported only here: flint loads slowly

    if not matrix.size:
        return matrix
    tall, wide = matrix.shape
    reduced, rank = nmod_mat(tall, wide, matrix.reshape(-1).tolist(), modulus).rref()
    lines = [list(map(int, line)) for line in reduced.tolist()[:rank]]
    return np.array(lines, dtype=np.int64).reshape(rank, wide)


def _pivots(reduced: Ints) -> Ints:
    return np.asarray((reduced != 0).argmax(axis=1), dtype=np.int64)
