"""What rows of forms over one field tell about secrets: the functions they determine, and those
they are allowed to.
"""

from collections.abc import Iterable

import attrs
import numpy as np
import numpy.typing as npt

from simnet.adversary.field_view import FieldView
from simnet.arrays import Ints
from simnet.linear.elimination import Elimination
from simnet.linear.span import Span
from simnet.linear.unknowns import KINDS, PLACES, Unknowns
from simnet.linear.vectors import Vector

COIN, OPAQUE = KINDS.index("coin"), KINDS.index("opaque")


@attrs.frozen(eq=False)
class BasisFunction:
    """A linear function of honest secrets, by unknown; in each lane alike. `origin` says how
    remnants make it up.
    """

    terms: Vector
    origin: Vector
    in_output: bool  # whether what the ideal world hands out determines it too


class Knowledge:
    """What a collusion set knows over one field. `functions` is the reduced basis of L, the span of
    what it determines.

    L counts opaque numbers as unknown; `possible` is the span for a set that knows them all.
    """

    def __init__(self, seen: FieldView, unknowns: Unknowns, corrupt: Iterable[str]) -> None:
        self.seen = seen
        self.modulus = seen.field.modulus
        kinds, held = unknowns.kinds(), unknowns.held_by(corrupt)
        self._held, self._kinds = held, kinds
        known = self.is_known(seen.terms.unknowns)
        is_coin = (kinds[seen.terms.unknowns // PLACES] == COIN) & ~known
        self.elimination = Elimination(seen.terms, is_coin, ~is_coin & ~known, self.modulus)

        def is_opaque(unknown: int) -> bool:
            return bool(kinds[unknown // PLACES] == OPAQUE)

        def opaque_first(unknown: int) -> tuple[bool, int]:
            return not is_opaque(unknown), unknown

        handed = Span(self.modulus, order=opaque_first)
        for vector in seen.ideal.vectors():
            handed.add(
                {unknown: value for unknown, value in vector.items() if not held[unknown // PLACES]}
            )
        self.ideal = Span(self.modulus)  # what is handed out free of noise that nobody declared
        for vector, _ in handed.basis():
            if not any(map(is_opaque, vector)):
                self.ideal.add(vector)
        certain = Span(self.modulus, order=opaque_first)
        self.possible = Span(self.modulus)
        remnants = self.elimination.remnants
        for place in sorted(range(len(remnants)), key=lambda place: len(remnants[place].targets)):
            targets = remnants[place].targets
            certain.add(targets, {place: 1})
            self.possible.add(
                {unknown: value for unknown, value in targets.items() if not is_opaque(unknown)}
            )
        self.basis = certain.basis()  # of all that is determined, opaque numbers included
        self.functions = [
            BasisFunction(terms, origin, terms in self.ideal)
            for terms, origin in self.basis
            if not any(map(is_opaque, terms))
        ]

    def is_known(self, unknowns: Ints) -> npt.NDArray[np.bool_]:
        """Which unknowns the set holds itself."""
        return np.asarray(self._held[unknowns // PLACES])

    @property
    def reads_undeclared(self) -> bool:
        """Whether opaque numbers are read without any secret or coin around them."""
        kinds = self._kinds
        return any(
            all(kinds[unknown // PLACES] == OPAQUE for unknown in vector)
            for vector, _ in self.basis
        )

    @property
    def exceeds_output(self) -> bool:
        """Whether something is determined that the ideal world does not hand out."""
        return any(not function.in_output for function in self.functions)

    @property
    def may_exceed_output(self) -> bool:
        """Whether something possible is not handed out in the ideal world."""
        return any(vector not in self.ideal for vector, _ in self.possible.basis())
