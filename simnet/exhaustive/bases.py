"""Views of a coalition that does not know the linear forms of its messages, in common bases.

In `views`, the field elements that a coalition sees are a vector y, and a reduced view is a triple
(discrete part, K, K·y) with a matrix K. If several K occur with one discrete part, the coalition
cannot tell which K applies: it sees only the discrete part and y. Let J be the reduced basis of the
rows of all these K, in all laws that are compared. In a world with K·y = v, the vector y is uniform
on the solutions of K·y = v. So J·y is uniform on the values that J·y has for these solutions. Given
J·y = w, the vector y is uniform on the solutions of J·y = w, in every world. Hence two laws of
(discrete part, J, J·y) are equal exactly if the laws of the whole views are equal.

Example. Party "a" has a secret s in F_3 and tosses a fair coin that "b" does not see. The coin
decides whether "a" sends s or s + c, where c is a field coin. For s = 1, the table shows the
reduced views of "b" on the left, and the same views in the common basis J on the right::

    probability  K       K·y          probability  J     J·y
    1/2          (1)     1            1/2 + 1/6    (1)   1
    1/2          none    none         1/6          (1)   0
                                      1/6          (1)   2

>>> bare, masked = ("note", ((3, ((0, 1),)),), (1,)), ("note", (), ())
>>> half = Fraction(1, 2)
>>> (law,) = on_common_bases([{bare: half, masked: half}])
>>> [(values, str(chance)) for (_, _, values), chance in sorted(law.items())]
[((0,), '1/6'), ((1,), '2/3'), ((2,), '1/6')]
"""

import itertools
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import cast

from simnet.coins.law import Law
from simnet.errors import BadInput
from simnet.linear.span import Span
from simnet.linear.vectors import Vector

Row = tuple[int, tuple[tuple[int, int], ...]]  # a modulus and a vector, sorted
Basis = tuple[Row, ...]
# a reduced view: the discrete part, K, and the values of K·y
ReducedView = tuple[Hashable, Basis, tuple[int, ...]]
ReducedLaw = Mapping[ReducedView, Fraction]

MOST_VIEWS = 1_000_000  # the largest number of views into which one reduced view is split
_CONSTANT = 1 << 62  # the key of a constant; it is larger than the number of every place


def row_of(modulus: int, vector: Vector) -> Row:
    """Return a vector as a row of a basis: its pairs (place, entry), sorted."""
    return modulus, tuple(sorted(vector.items()))


def on_common_bases(laws: Sequence[ReducedLaw]) -> list[Law]:
    """Return the laws, with one basis for each discrete part.

    Raises `BadInput` if one view would be split into more than `MOST_VIEWS`.
    """
    bases: dict[Hashable, set[Basis]] = {}
    for law in laws:
        for discrete, basis, _ in law:
            bases.setdefault(discrete, set()).add(basis)
    several = {discrete: _joint(found) for discrete, found in bases.items() if len(found) > 1}
    return [_refined(law, several) if several else cast(Law, law) for law in laws]


def _joint(bases: set[Basis]) -> Basis:
    spans: dict[int, Span] = {}
    for modulus, row in itertools.chain.from_iterable(bases):
        spans.setdefault(modulus, Span(modulus)).add(dict(row))
    return tuple(
        row_of(modulus, vector) for modulus in sorted(spans) for vector, _ in spans[modulus].basis()
    )


def _refined(law: ReducedLaw, several: Mapping[Hashable, Basis]) -> Law:
    refined: dict[Hashable, Fraction] = {}
    for view, chance in law.items():
        discrete, basis, values = view
        joint = several.get(discrete)
        if joint is None or joint == basis:
            refined[view] = refined.get(view, Fraction(0)) + chance
            continue
        ways = math.prod(modulus for modulus, _ in joint) // math.prod(
            modulus for modulus, _ in basis
        )
        if ways > MOST_VIEWS:
            raise BadInput(
                "the coalition cannot tell which combinations of messages are free of coins, and "
                f"the law of its view has more than {MOST_VIEWS:,} outcomes: use a smaller field "
                "or fewer elements"
            )
        for numbers in _solutions(basis, values, joint):
            part = discrete, joint, numbers
            refined[part] = refined.get(part, Fraction(0)) + chance / ways
    return refined


def _solutions(basis: Basis, values: Sequence[int], joint: Basis) -> Iterator[tuple[int, ...]]:
    """All values of J·y that are possible if K·y = v. The rows of K must lie in the span of J."""
    # A row of J is 1 at its own pivot, where the other rows are 0. So the entries of a row of K at
    # these pivots are its coefficients as a combination of rows of J, and K·y = v becomes a system
    # of equations in the values of J·y.
    pivots = [(modulus, row[0][0]) for modulus, row in joint]
    choices: list[list[tuple[int, ...]]] = []
    for modulus in sorted({modulus for modulus, _ in joint}):
        places = [place for each, place in pivots if each == modulus]
        equations = Span(modulus)
        for (each, row), value in zip(basis, values, strict=True):
            if each == modulus:
                entries = dict(row)
                equation = {
                    number: entries[place]
                    for number, place in enumerate(places)
                    if place in entries
                }
                equations.add({**equation, **({_CONSTANT: value} if value else {})})
        choices.append(list(_assignments(equations, len(places), modulus)))
    for parts in itertools.product(*choices):
        yield tuple(itertools.chain.from_iterable(parts))


def _assignments(equations: Span, unknowns: int, modulus: int) -> Iterator[tuple[int, ...]]:
    """Yield all solutions of a linear system. In each equation, the key `_CONSTANT` has the right
    side.
    """
    solved = {min(row): row for row, _ in equations.basis()}
    free = [number for number in range(unknowns) if number not in solved]
    for chosen in itertools.product(range(modulus), repeat=len(free)):
        numbers = dict(zip(free, chosen, strict=True))
        for pivot, row in solved.items():
            rest = sum(
                factor * numbers[number]
                for number, factor in row.items()
                if number not in (pivot, _CONSTANT)
            )
            numbers[pivot] = (row.get(_CONSTANT, 0) - rest) % modulus
        yield tuple(numbers[number] for number in range(unknowns))
