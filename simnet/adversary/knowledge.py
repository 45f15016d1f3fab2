"""What a coalition's messages over one field determine, and what it is allowed to know.

Theory of operation
-------------------

Every row of the view is a linear form in coins, secrets and products. What the coalition holds
itself it subtracts, and so it does with plain numbers, which are public. Example, with u1 corrupt:

    row 0, u2 -> u1:   s2 + c2             c2, d2: coins of u2, honest
    row 1, u2 -> u1:   2 c2 + c1           c1: a coin of u1 itself, so known
    row 2, u2 -> u1:   s2' + d2

1. *Elimination* (`simnet.linear.elimination`) takes the honest coins out. What is left is a list of
   *remnants*, combinations of rows without coins: here 2·(row 0) - (row 1) + c1 = 2 s2. Row 2
   leaves no remnant: its coin d2 is in no other row, so it is uniform whatever s2' is.
2. L is the span of the remnants, and its reduced basis lists what the coalition determines: s2.
3. F is the span of what the ideal world hands to the coalition. A basis function that lies in F is
   *in the output*: the coalition may know it.

*Tied unknowns* are those that cannot be varied by themselves: secrets that were made of coins, and
products. When L is reduced, they are taken for pivots first. So they are eliminated from the other
functions as far as that is possible at all, and the functions of the basis that hold none span
everything that is determined without them.
"""

import attrs

from simnet.adversary.field_view import FieldView
from simnet.adversary.roles import Roles
from simnet.arrays import Bools, Ints
from simnet.linear.elimination import Elimination
from simnet.linear.span import Span
from simnet.linear.unknowns import PLACES
from simnet.linear.vectors import Vector


@attrs.frozen(eq=False, kw_only=True)
class BasisFunction:
    """A linear function of honest secrets that the view determines, in each lane alike."""

    terms: Vector  # coefficients by unknown
    origin: Vector  # the combination of remnants that it is
    in_output: bool  # whether what the ideal world hands out determines it too
    is_tied: bool  # whether it holds products, or secrets that are made of coins


class Knowledge:
    """What the messages of a coalition tell over one field.

    `functions` is the reduced basis of L; `ideal` is F.
    """

    def __init__(self, view: FieldView, roles: Roles) -> None:
        """Eliminate the coins of honest parties from the rows of the view."""
        self.view = view
        self.modulus = view.field.modulus
        self._roles = roles
        terms = view.terms
        is_coin, is_known = roles.is_coin(terms.unknowns), self.is_known(terms.unknowns)
        self.elimination = Elimination(terms, is_coin, ~is_coin & ~is_known, self.modulus)
        self.ideal = Span(self.modulus)
        for row in view.ideal.vectors():
            self.ideal.add({u: value for u, value in row.items() if not roles.known[u // PLACES]})
        learned = Span(self.modulus, order=lambda unknown: (not self._is_tied(unknown), unknown))
        remnants = self.elimination.remnants
        # Short remnants first: the longer ones are reduced by them.
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
        """Which unknowns the coalition holds itself."""
        return self._roles.is_known(unknowns)

    @property
    def exceeds_output(self) -> bool:
        """Whether something is determined that the ideal world does not hand out."""
        return any(not function.in_output for function in self.functions)

    def _is_tied(self, unknown: int) -> bool:
        return bool(self._roles.tied[unknown // PLACES])
