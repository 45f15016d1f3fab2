"""Before elimination: replace the rows of a view by rows with the same span, which are usually
fewer and shorter.

Theory of operation. A coalition often sees many combinations of the same few base rows
(`simnet.linear.mixtures`): its members' shares of one secret, or the sums that n users report. Such
rows are `weights @ base`. Elimination only needs their span. So we take the weights in reduced row
echelon form, which has as many rows as the rank. Proof: docs/proofs/shared-and-added.md.

Example over F_7. One coin hides each of the secrets 8 and 9. A coalition sees the shares of both
secrets at the points 1 and 2, and the sums of the two shares at the points 1, 2 and 3, which users
report. Of these 7 rows 6 are left, and no row has more than two terms:

>>> from simnet.linear.mixtures import added
>>> weights = np.array([[1, 1], [2, 1], [3, 1]])
>>> bases = [Terms.of_vectors([{1: 1}, {8: 1}]), Terms.of_vectors([{2: 1}, {9: 1}])]
>>> shares = [Mixture(weights, base, 1, 7) for base in bases]
>>> seen = [share.take(np.array([0, 1])) for share in shares]
>>> reduction = Reduction([*seen, added(shares)], 7)
>>> reduction.terms.vectors()
[{1: 1}, {8: 1}, {2: 1}, {9: 1}, {1: 1, 2: 1}, {8: 1, 9: 1}]

The last row is twice the first reported sum, row 4 of the view, plus 6 times the second one:

>>> reduction.weights({5: 1})
{4: 2, 5: 6}
"""

from collections.abc import Mapping, Sequence

import attrs
import numpy as np

from simnet.arrays import Ints
from simnet.linear.mixtures import Echelon, Mixture, TermRows, echelon, written_out
from simnet.linear.terms import Terms, join, no_rows
from simnet.linear.vectors import Vector, add_to


@attrs.frozen(eq=False)
class _Plain:
    """Rows that stay as they are. `first` is the number that the first of these rows has in the
    view.
    """

    terms: Terms
    first: int


@attrs.frozen(eq=False)
class _Reduced:
    """Mixtures of one base, reduced together. Each combination of the base is `each` rows.

    `firsts[k]` is the number, among all rows of the view, of the first row of combination k. The
    combinations of all these mixtures are numbered together.
    """

    terms: Terms
    each: int
    form: Echelon
    firsts: Ints

    @classmethod
    def of(cls, mixtures: Sequence[Mixture], starts: Sequence[int]) -> "_Reduced":
        one = mixtures[0]
        form = echelon(np.concatenate([mixture.weights for mixture in mixtures]), one.modulus)
        firsts = [
            start + np.arange(mixture.count) * mixture.each
            for mixture, start in zip(mixtures, starts, strict=True)
        ]
        terms = attrs.evolve(one, weights=form.reduced).terms
        return cls(terms, one.each, form, np.concatenate(firsts))

    def weights(self, row: int) -> Vector:
        place, within = divmod(row, self.each)
        factors = self.form.combined[place]
        rows = self.firsts[self.form.rows] + within
        used = factors != 0
        return dict(zip(rows[used].tolist(), factors[used].tolist(), strict=True))


class Reduction:
    """The rows of several parts, where mixtures of one base are replaced by reduced rows.

    The rows of all parts have equally many lanes, and are numbered part by part. `weights` turns a
    combination of reduced rows into a combination of the rows of the parts.
    """

    def __init__(self, parts: Sequence[TermRows], modulus: int) -> None:
        self._modulus = modulus
        pieces: list[_Plain | list[tuple[Mixture, int]]] = []
        by_base: dict[tuple[int, int], list[tuple[Mixture, int]]] = {}
        first = 0
        for part in parts:
            if isinstance(part, Mixture):
                key = id(part.base), part.each
                if key not in by_base:
                    by_base[key] = []
                    pieces.append(by_base[key])
                by_base[key].append((part, first))
            else:
                pieces.append(_Plain(written_out(part), first))
            first += part.rows
        self._pieces = [
            piece if isinstance(piece, _Plain) else _Reduced.of(*zip(*piece, strict=True))
            for piece in pieces
        ]
        self._starts = np.cumsum([0, *(piece.terms.rows for piece in self._pieces)])

    @property
    def terms(self) -> Terms:
        """The reduced rows, put together anew at each call."""
        rows = [piece.terms for piece in self._pieces]
        return join(rows) if rows else no_rows(1)

    def weights(self, combination: Mapping[int, int]) -> Vector:
        """Return a combination of reduced rows as a combination of the rows of the parts."""
        if all(isinstance(piece, _Plain) for piece in self._pieces):
            return dict(combination)  # the rows are those of the parts, in their order
        weights: Vector = {}
        numbers = list(combination)
        pieces = np.searchsorted(self._starts, numbers, side="right") - 1
        for number, place in zip(numbers, pieces.tolist(), strict=True):
            piece, row = self._pieces[place], number - int(self._starts[place])
            if isinstance(piece, _Plain):
                weights[piece.first + row] = combination[number]
            else:
                add_to(weights, piece.weights(row), combination[number], self._modulus)
        return weights
