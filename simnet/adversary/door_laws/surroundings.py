"""What the view of a coalition says about the rows that doors of honest parties were given.

A verdict adds opened rows to the coalition's view until the other opened rows are independent of
the view (`simnet.adversary.opened_rows`). This module asks the widened view about single arrays:
whether the coalition knows them, and whether their coins are independent of the coins in the view.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import attrs
import numpy as np

from simnet.adversary.opened_rows import MarkedRows
from simnet.adversary.roles import Roles
from simnet.linear.forms import Forms
from simnet.linear.span import Span
from simnet.linear.terms import Terms, join, no_rows, refine
from simnet.linear.unknowns import ONE, PLACES, Unknowns
from simnet.linear.vectors import Vector


@attrs.frozen(eq=False, kw_only=True)
class WidestView:
    """All that a coalition may know about field elements.

    `functions` has a number of lanes and some vectors for each modulus. The vectors are over the
    unknowns of lane 0, and span the functions of secrets that the coalition may determine. `rows`
    are the rows that the coalition sees, with the opened rows that were added, by modulus. They are
    needed only if a door was given field elements that contain coins. `tells_output` says whether
    random rows of seeds may tell something about the ideal output.
    """

    functions: Mapping[int, tuple[int, Sequence[Vector]]]
    rows: Mapping[int, Terms]
    roles: Roles
    unknowns: Unknowns
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
    """The surroundings of doors in a widened view. If `view` is None, the coalition may know
    anything about field elements.
    """

    def __init__(self, view: WidestView | None, arrays: Iterable[Forms]) -> None:
        """`arrays` are all arrays of field elements that the doors were given."""
        self._view = view
        self._spans: dict[int, Span] = {}
        self._known: dict[
            int, bool
        ] = {}  # maps the identity of an array with coins to the answer about the array
        self._dependent: set[int] = set()
        if view is not None:
            self._mark([forms for forms in arrays if self._has_coins(forms)])

    def _has_coins(self, forms: Forms) -> bool:
        assert self._view is not None
        families = set((forms.terms.unknowns // PLACES).tolist()) - {ONE}
        return self._view.roles.depends_on_coins(families)

    def _mark(self, arrays: Sequence[Forms]) -> None:
        assert self._view is not None
        roles = self._view.roles
        by_modulus: dict[int, list[Forms]] = defaultdict(list)
        for forms in {id(each): each for each in arrays}.values():
            by_modulus[forms.field.modulus].append(forms)
        for modulus, of_field in by_modulus.items():
            rows = [refine(forms.terms, 1) for forms in of_field]
            seen = refine(self._view.rows.get(modulus, no_rows(1)), 1)
            marked = MarkedRows(seen, join(rows), roles.is_coin, roles.is_known, modulus)
            ends = np.cumsum([terms.rows for terms in rows]).tolist()
            for forms, terms, end in zip(of_field, rows, ends, strict=True):
                places = slice(end - terms.rows, end)
                self._known[id(forms)] = bool(marked.is_known[places].all())
                # If the coalition knows an array, nobody asks whether its coins are independent.
                dependent = marked.is_dependent[places] | marked.is_known[places]
                if dependent.any():
                    self._dependent.add(id(forms))

    def is_known(self, forms: Forms) -> bool:
        """Whether the coalition can compute all elements of an array; False if there is no view."""
        if self._view is None:
            return False
        found = self._known.get(id(forms))
        if found is not None:
            return found
        modulus = forms.field.modulus
        span = self._span(modulus)
        roles = self._view.roles
        return all(
            {u: weight for u, weight in row.items() if u != ONE and not roles.known[u // PLACES]}
            in span
            for row in refine(forms.terms, 1).vectors()
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
        return self._view is not None and not any(id(forms) in self._dependent for forms in rows)
