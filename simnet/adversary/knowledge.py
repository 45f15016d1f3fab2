"""What a coalition's view over one field determines, and what it is allowed to.

Theory of operation
-------------------

Every row of the view is a linear form in coins, secrets and *opaque* numbers: plain numbers that a
script put into a field message, of which we know neither that they hide something nor that they are
known. What the coalition holds itself it subtracts. Example, with u1 corrupt:

    row 0, u2 -> u1:   s2 + c2             c2, d2: coins of u2, honest
    row 1, u2 -> u1:   2 c2 + c1           c1: a coin of u1 itself, so known
    row 2, u2 -> u1:   s2' + d2

1. *Elimination* (`simnet.linear.elimination`) takes the honest coins out. What is left is a list of
   *remnants*, combinations of rows without coins: here 2·(row 0) - (row 1) + c1 = 2 s2. Row 2
   leaves no remnant: its coin d2 is in no other row, so it is uniform whatever s2' is.
2. L is the span of the remnants, and its reduced basis lists what the coalition determines: s2.
   Functions with an opaque number in them are not counted as known. `possible` is the span as it
   would be for somebody who knew all opaque numbers: L from below and from above.
3. F is the span of what the ideal world hands to the coalition. A basis function that lies in F is
   *in the output*: the coalition may know it.

When L is reduced, opaque numbers are taken for pivots first. So opaque numbers are eliminated from
the other functions as far as that is possible at all, and those functions of the basis that hold
none span everything that is determined without them.
"""

from collections.abc import Iterable

import attrs
import numpy as np

from simnet.adversary.field_view import FieldView
from simnet.arrays import Bools, Ints
from simnet.linear.elimination import Elimination
from simnet.linear.span import Span
from simnet.linear.unknowns import KINDS, PLACES, Unknowns
from simnet.linear.vectors import Vector

COIN, OPAQUE = KINDS.index("coin"), KINDS.index("product")


@attrs.frozen(eq=False, kw_only=True)
class BasisFunction:
    """A linear function of honest secrets that the view determines, in each lane alike."""

    terms: Vector  # coefficients by unknown
    origin: Vector  # the combination of remnants that it is
    in_output: bool  # whether what the ideal world hands out determines it too


class Knowledge:
    """What a coalition knows over one field.

    `functions` is the reduced basis of L, the span of what it surely determines; `possible` is the
    span of what it would determine if it knew all opaque numbers.
    """

    def __init__(self, view: FieldView, unknowns: Unknowns, corrupt: Iterable[str]) -> None:
        """Eliminate the coins of everybody but `corrupt` from the rows of the view."""
        self.view = view
        self.modulus = view.field.modulus
        self._kinds = unknowns.kinds()
        self._is_own = unknowns.held_by(corrupt)
        terms = view.terms
        known = self.is_known(terms.unknowns)
        is_coin = (self._kinds[terms.unknowns // PLACES] == COIN) & ~known
        self.elimination = Elimination(terms, is_coin, ~is_coin & ~known, self.modulus)
        self.ideal = self._ideal_span()
        self.possible = Span(self.modulus)
        certain = Span(self.modulus, order=self._opaque_first)
        remnants = self.elimination.remnants
        # Short remnants first: the longer ones are reduced by them.
        for place in sorted(range(len(remnants)), key=lambda place: len(remnants[place].targets)):
            targets = remnants[place].targets
            certain.add(targets, {place: 1})
            self.possible.add({u: value for u, value in targets.items() if not self._is_opaque(u)})
        # All that is determined, functions with opaque numbers included.
        self.basis: list[tuple[Vector, Vector]] = certain.basis()
        self.functions = [
            BasisFunction(terms=function, origin=origin, in_output=function in self.ideal)
            for function, origin in self.basis
            if not any(map(self._is_opaque, function))
        ]

    def is_known(self, unknowns: Ints) -> Bools:
        """Which unknowns the coalition holds itself."""
        return np.asarray(self._is_own[unknowns // PLACES])

    @property
    def reads_undeclared(self) -> bool:
        """Whether opaque numbers are read without any secret or coin around them."""
        return any(all(map(self._is_opaque, function)) for function, _ in self.basis)

    @property
    def exceeds_output(self) -> bool:
        """Whether something is determined that the ideal world does not hand out."""
        return any(not function.in_output for function in self.functions)

    @property
    def may_exceed_output(self) -> bool:
        """Whether something that is possible is not handed out in the ideal world."""
        return any(function not in self.ideal for function, _ in self.possible.basis())

    def _is_opaque(self, unknown: int) -> bool:
        return bool(self._kinds[unknown // PLACES] == OPAQUE)

    def _opaque_first(self, unknown: int) -> tuple[int, int]:
        return int(not self._is_opaque(unknown)), unknown

    def _ideal_span(self) -> Span:
        """F: what is handed to the coalition, free of numbers that nobody declared."""
        handed = Span(self.modulus, order=self._opaque_first)
        for row in self.view.ideal.vectors():
            handed.add({u: value for u, value in row.items() if not self._is_own[u // PLACES]})
        ideal = Span(self.modulus)
        for function, _ in handed.basis():
            if not any(map(self._is_opaque, function)):
                ideal.add(function)
        return ideal
