"""Polynomials over F_q, as sparse sums of monomials.

A `Monomial` lists the unknowns that are multiplied, in ascending order, with repeats; the empty
monomial is 1. A `Polynomial` maps each monomial to its coefficient in 1..q-1. Because x**q = x for
each number x of F_q, powers are reduced to 1..q-1. So two polynomials of this module are equal if
and only if they have equal values for all numbers.

Example over F_7: the unknown 2 of x1·x2 + 3 is replaced by x1 + 1.

>>> put({(1, 2): 1, (): 3}, 2, {(1,): 1, (): 1}, modulus=7) == {(1, 1): 1, (1,): 1, (): 3}
True
"""

from collections import Counter
from collections.abc import Iterable, Mapping

Monomial = tuple[int, ...]
Polynomial = dict[Monomial, int]


def monomial(factors: Iterable[int], modulus: int) -> Monomial:
    """Return the product of some unknowns."""
    ordered = tuple(sorted(factors))
    if len(ordered) < modulus:
        return ordered  # no power can be as large as q
    return tuple(
        unknown
        for unknown, power in Counter(ordered).items()
        for _ in range((power - 1) % (modulus - 1) + 1)
    )


def add_to(total: Polynomial, other: Mapping[Monomial, int], factor: int, modulus: int) -> None:
    """Add `factor * other` to `total`, in place."""
    for each, coefficient in other.items():
        value = (total.get(each, 0) + factor * coefficient) % modulus
        if value:
            total[each] = value
        else:
            total.pop(each, None)


def product(left: Polynomial, right: Polynomial, modulus: int) -> Polynomial:
    """Return the product of two polynomials."""
    total: Polynomial = {}
    for one, factor in left.items():
        shifted = {monomial((*one, *two), modulus): 0 for two in right}
        for two, coefficient in right.items():
            shifted[monomial((*one, *two), modulus)] += coefficient
        add_to(total, shifted, factor, modulus)
    return total


def put(form: Polynomial, unknown: int, value: Polynomial, modulus: int) -> Polynomial:
    """Return the polynomial `form` with `value` in the place of an unknown."""
    total: Polynomial = {}
    powers: list[Polynomial] = [{(): 1}]
    for each, coefficient in form.items():
        power = each.count(unknown)
        if not power:
            add_to(total, {each: coefficient}, 1, modulus)
            continue
        while len(powers) <= power:
            powers.append(product(powers[-1], value, modulus))
        rest: Polynomial = {tuple(other for other in each if other != unknown): coefficient}
        add_to(total, product(rest, powers[power], modulus), 1, modulus)
    return total
