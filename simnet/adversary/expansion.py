"""Expanding products of forms: if enough is known about the factors, a product is linear again.

Theory of operation
-------------------

The product of two unknowns is not a linear form, so the symbolic reading puts a new unknown in its
place. The new unknown is no free secret: it depends on the unknowns in the factors. But often
something is known about a factor. In Beaver's multiplication a dealer shares random a, b and c =
ab, and two parties that share x and y open ::

    d = x - a,    e = y - b

in full. Given d and e, the factors are a = x - d and b = y - e, forms in secrets plus numbers. So::

    c = (x - d)(y - e) = xy - e x - d y + de

is linear in x, y and one new unknown xy, a *monomial*. The steps are:

1. The rows that were disclosed in full are solved for honest coins.
2. These coins are replaced in the factors. An unknown is *free* if it depends on no honest coins,
   and is a secret or known to the coalition; monomials of free unknowns are free, too. A factor is
   *solved* if it is a sum of multiples of free unknowns, and perhaps a number. If both factors are
   solved, the product is replaced by its expansion (up to `MOST_PAIRS`). If one factor is a number
   alone, the product is this number times the other factor, whatever the other factor contains.
3. A product may be a factor of another product, or occur in a row that was disclosed. So the steps
   are repeated until nothing changes.

An unknown that the coalition knows does not count as a number here, because the verdict must be
right for all values that this unknown can have. The replacement is an equation between numbers that
holds in every run with the same disclosed values, and so in every run that a verdict is about. The
equation does not hold for a row that was disclosed with noise, or through a function that merges
values: such rows are not used. The products of an ideal output are expanded in the same monomials,
so that messages can be compared with the output.

Over F_101, with unknowns numbered x = 1, y = 2, a = 3, b = 4, c = 5, xy = 6, and values x = 7, y =
8, a = 2 and b = 5, so that d = 5 and e = 3:

>>> values = {1: 7, 2: 8, 3: 2, 4: 5}
>>> expansion = Expansion(
...     101,
...     products=[ProductTerm(unknown=5, factors=({3: 1}, {4: 1}), values=(2, 5))],
...     opened=[{1: 1, 3: 100}, {2: 1, 4: 100}],
...     is_coin=lambda unknown: unknown in (3, 4),
...     is_free=lambda unknown: unknown in (1, 2),
...     value=values.__getitem__,
...     monomial=lambda factors: 6,
... )
>>> expansion.substitutes[5] == {6: 1, 1: -3 % 101, 2: -5 % 101, ONE: 3 * 5}
True
>>> sorted(expansion.rows_used)
[0, 1]
"""

from collections.abc import Callable, Sequence

import attrs

from simnet.linear.span import Span
from simnet.linear.terms import Terms, refine
from simnet.linear.unknowns import ONE
from simnet.linear.vectors import Vector, add_to, multiple

MOST_PAIRS = 100_000  # the most products of two unknowns in all expansions over one field


@attrs.frozen(eq=False, kw_only=True)
class ProductTerm:
    """The unknown that stands for the product of two forms, and the sampled values of the
    factors.
    """

    unknown: int
    factors: tuple[Vector, Vector]
    values: tuple[int, int]


class Expansion:
    """The products over one field that can be expanded, for one coalition.

    `opened` are the rows that were disclosed in full. `is_coin` recognises honest coins, and
    `is_free` free unknowns. `value` gives the sampled value of an unknown, and `monomial` the
    unknown for the product of two unknowns. After coins were replaced, a product is expanded if
    both factors contain only free unknowns, or if one factor is a number. If the expansions would
    take more than `MOST_PAIRS` products of two unknowns, some products are not expanded.
    """

    def __init__(
        self,
        modulus: int,
        products: Sequence[ProductTerm],
        opened: Sequence[Vector],
        is_coin: Callable[[int], bool],
        is_free: Callable[[int], bool],
        value: Callable[[int], int],
        monomial: Callable[[tuple[int, int]], int],
    ) -> None:
        self.substitutes: dict[int, Vector] = {}  # the expansion of each product
        self.rows_used: set[int] = (
            set()
        )  # the places of the rows in `opened` that the expansions use
        self._pairs_left = MOST_PAIRS
        self._modulus = modulus
        self._is_coin = is_coin
        self._is_free = is_free
        self._value = value
        self._monomial = monomial
        pending = list(products)
        while pending:
            solved = self._solved([self.written_out(row) for row in opened])
            left = [product for product in pending if not self._expand(product, solved)]
            if len(left) == len(pending):
                break
            pending = left

    def written_out(self, vector: Vector) -> Vector:
        """A form in which products are replaced by their expansions."""
        if not any(unknown in self.substitutes for unknown in vector):
            return vector
        result: Vector = {}
        for unknown, coefficient in vector.items():
            add_to(result, self.substitutes.get(unknown, {unknown: 1}), coefficient, self._modulus)
        return result

    def rewritten(self, terms: Terms) -> Terms:
        """The rows of all lanes, one by one, in which products are replaced by their expansions."""
        return Terms.of_vectors([self.written_out(row) for row in refine(terms, 1).vectors()])

    def _solved(self, rows: Sequence[Vector]) -> Span:
        """Solve the rows for coins, and return the solved rows."""
        solved = Span(self._modulus, order=lambda unknown: (not self._is_coin(unknown), unknown))
        for place, row in enumerate(rows):
            rest, origin = solved.reduce(_without_number(row), {place: 1})
            if any(map(self._is_coin, rest)):
                solved.add(rest, origin)
        return solved

    def _expand(self, product: ProductTerm, solved: Span) -> bool:
        """Expand a product, if enough is known about its factors. Return whether this was done."""
        forms = [_without_number(self.written_out(factor)) for factor in product.factors]
        rests, origins = zip(*(solved.reduce(form, {}) for form in forms), strict=True)
        for one, other in ((0, 1), (1, 0)):
            if not rests[one]:
                whole = self._with_number(forms[other], product.values[other])
                self.substitutes[product.unknown] = _multiple(
                    whole, product.values[one], self._modulus
                )
                self.rows_used |= set(origins[one])
                return True
        if not all(map(self._is_free, [*rests[0], *rests[1]])):
            return False
        self._pairs_left -= len(rests[0]) * len(rests[1])
        if self._pairs_left < 0:
            return False
        # (l + f)(r + g) = l (r + g) + r f + fg
        left = self._number(rests[0], product.values[0])
        right = self._number(rests[1], product.values[1])
        whole = self._with_number(rests[1], product.values[1])
        expanded = _multiple(whole, left, self._modulus)
        add_to(expanded, rests[0], right, self._modulus)
        for u, first in rests[0].items():
            for v, second in rests[1].items():
                add_to(expanded, {self._monomial((u, v)): 1}, first * second, self._modulus)
        self.substitutes[product.unknown] = expanded
        self.rows_used |= {*origins[0], *origins[1]}
        return True

    def _number(self, vector: Vector, value: int) -> int:
        """The constant term of a form, given the form's coefficients and its sampled value."""
        rest = sum(coefficient * self._value(u) for u, coefficient in vector.items())
        return (value - rest) % self._modulus

    def _with_number(self, vector: Vector, value: int) -> Vector:
        number = self._number(vector, value)
        return {**vector, ONE: number} if number else dict(vector)


def _without_number(vector: Vector) -> Vector:
    return {unknown: value for unknown, value in vector.items() if unknown != ONE}


def _multiple(vector: Vector, factor: int, modulus: int) -> Vector:
    return multiple(vector, factor, modulus) if factor % modulus else {}
