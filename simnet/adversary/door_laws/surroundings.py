"""What the view of a coalition says about the rows that doors of honest parties were given.

A verdict replaces coins by rows (`simnet.adversary.change_of_coins`). In the new unknowns it is
easy to see whether the coalition knows an array, and whether an array is independent of the view.
"""

from collections.abc import Callable, Mapping, Sequence

import attrs

from simnet.adversary.change_of_coins import ChangeOfCoins
from simnet.adversary.roles import Roles
from simnet.linear.forms import Forms
from simnet.linear.span import Span
from simnet.linear.terms import Terms, refine
from simnet.linear.unknowns import ONE, PLACES, Unknowns
from simnet.linear.vectors import Vector


@attrs.frozen(eq=False, kw_only=True)
class WidestView:
    """All that a coalition may know about field elements.

    `functions` has a number of lanes and some vectors for each modulus. The vectors are over the
    unknowns of lane 0, and span the functions of secrets that the coalition may determine. `change`
    is the change of coins that shows it, if there is one. `terms` writes products out.
    `tells_output` says whether random rows of seeds may tell something about the ideal output.
    """

    functions: Mapping[int, tuple[int, Sequence[Vector]]]
    roles: Roles
    unknowns: Unknowns
    change: ChangeOfCoins | None = None
    terms: Callable[[Forms], Terms] = lambda forms: forms.terms
    handed: Sequence[Terms] = ()  # what the ideal world hands to the coalition
    tells_output: bool = False

    @property
    def families(self) -> list[frozenset[int]]:
        """For each function, the families of the unknowns in it that the coalition does not know. A
        product counts with its factors.

        The functions of the ideal output count as well if there are any other functions, or if
        random rows may tell something about the output. The coalition is then compared with
        somebody who knows the output.
        """
        told = [vector for _, vectors in self.functions.values() for vector in vectors]
        if told or self.tells_output:
            told += [vector for terms in self.handed for vector in terms.vectors()]
        return [self._families_in(vector) for vector in told]

    def _families_in(self, vector: Vector) -> frozenset[int]:
        families = {unknown // PLACES for unknown in vector}
        factors = {
            factor // PLACES
            for family in families
            for factor in self.unknowns.families[family].factors
        }
        return frozenset(each for each in families | factors if not self.roles.known[each])


class ViewSurroundings:
    """The surroundings of doors in a view. If `view` is None, the coalition may know anything about
    field elements.
    """

    def __init__(self, view: WidestView | None) -> None:
        self._view = view
        self._spans: dict[int, Span] = {}

    def is_known(self, forms: Forms) -> bool:
        """Whether the coalition can compute all elements of an array; False if there is no view."""
        if self._view is None:
            return False
        modulus, change = forms.field.modulus, self._view.change
        rows = refine(self._view.terms(forms), 1).vectors()
        if change is not None:
            return all(change.knows(modulus, change.changed(modulus, row)) for row in rows)
        span = self._span(modulus)
        roles = self._view.roles
        return all(
            {u: weight for u, weight in row.items() if u != ONE and not roles.known[u // PLACES]}
            in span
            for row in rows
        )

    def _span(self, modulus: int) -> Span:
        """The span of the functions over one field; each lane of a function is a vector of
        its own.
        """
        assert self._view is not None
        if modulus not in self._spans:
            span = self._spans[modulus] = Span(modulus)
            lanes, functions = self._view.functions.get(modulus, (1, ()))
            for vector in functions:
                for lane in range(lanes):
                    span.add({unknown + lane: weight for unknown, weight in vector.items()})
        return self._spans[modulus]

    def are_apart(self, rows: Sequence[Forms]) -> bool:
        """Whether the coins in these arrays are independent of the coins in the view; False if
        there is no view.
        """
        if self._view is None:
            return False
        change = self._view.change
        return change is None or all(
            change.is_apart(change.changed(forms.field.modulus, row))
            for forms in rows
            for row in refine(self._view.terms(forms), 1).vectors()
        )
