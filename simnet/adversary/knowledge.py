"""What a coalition's messages over one field determine, and what the coalition may know.

Theory of operation
-------------------

Every row of the view is a linear form in unknowns such as coins, secrets and products. The
coalition subtracts what it knows itself, and plain numbers, which are public. Example, with u1 in
the coalition::

    row 0, u2 -> u1:   s2 + c2             c2, d2: coins of u2, honest
    row 1, u2 -> u1:   2 c2 + c1           c1: a coin of u1 itself, so known
    row 2, u2 -> u1:   s2' + d2

1. *Elimination* (`simnet.linear.elimination`) removes the honest coins. The result is a list of
   *remnants*, which are combinations of rows without coins: here 2·(row 0) - (row 1) + c1 = 2 s2.
   Row 2 gives no remnant: its coin d2 is in no other row, so the row is uniform for every s2'.
2. L is the span of the remnants. The reduced basis of L lists what the coalition determines: s2.
3. F is the span of what the ideal world hands to the coalition. A basis function that lies in F is
   *in the output*: the coalition may know it.

*Tied unknowns* cannot be varied by themselves: products, and secrets made from field elements that
depend on coins. Tied unknowns are chosen first as pivots when L is reduced. So they are eliminated
from the other functions as far as possible, and the basis functions without tied unknowns span all
functions in L that contain no tied unknown.
"""

from collections.abc import Mapping

import attrs

from simnet.adversary.field_view import FieldView
from simnet.adversary.roles import Roles
from simnet.arrays import Bools, Ints
from simnet.linear.elimination import Elimination
from simnet.linear.reduction import Reduction
from simnet.linear.span import Span
from simnet.linear.unknowns import PLACES
from simnet.linear.vectors import Vector


@attrs.frozen(eq=False, kw_only=True)
class BasisFunction:
    """A linear function of honest secrets that the view determines, the same in each lane."""

    terms: Vector  # coefficients by unknown
    origin: Vector  # the same function as a combination of remnants
    in_output: bool  # whether the output of the ideal world also determines the function
    is_tied: bool  # whether the function contains tied unknowns


class Knowledge:
    """What the messages of a coalition tell over one field.

    `functions` is the reduced basis of L; `ideal` is F.
    """

    def __init__(self, view: FieldView, roles: Roles) -> None:
        """Eliminate the coins of honest parties from the rows of the view."""
        self.view = view
        self.modulus = view.field.modulus
        self._roles = roles
        # The rows are written out or reduced here, and not kept: a large run has many terms.
        self._reduction = Reduction([part.rows for part in view.parts], self.modulus)
        terms = self._reduction.terms
        is_coin, is_known = roles.is_coin(terms.unknowns), self.is_known(terms.unknowns)
        self.elimination = Elimination(terms, is_coin, ~is_coin & ~is_known, self.modulus)
        self.ideal = Span(self.modulus)
        for row in view.ideal.vectors():
            self.ideal.add({u: value for u, value in row.items() if not roles.known[u // PLACES]})
        learned = Span(self.modulus, order=lambda unknown: (not self._is_tied(unknown), unknown))
        remnants = self.elimination.remnants
        # Short remnants come first, so that they reduce the longer ones.
        for place in sorted(range(len(remnants)), key=lambda place: len(remnants[place].targets)):
            learned.add(remnants[place].targets, {place: 1})
        self.functions = [
            BasisFunction(
                terms=function,
                origin=origin,
                in_output=function in self.ideal,
                is_tied=any(map(self._is_tied, function)),
            )
            for function, origin in learned.basis()
        ]

    def is_known(self, unknowns: Ints) -> Bools:
        """Which unknowns the coalition knows itself."""
        return self._roles.is_known(unknowns)

    def weights(self, origin: Mapping[int, int]) -> Vector:
        """Return a combination of remnants, such as a function's origin, as a combination of rows
        of the view.
        """
        return self._reduction.weights(self.elimination.weights(origin))

    def _is_tied(self, unknown: int) -> bool:
        return bool(self._roles.tied[unknown // PLACES])
