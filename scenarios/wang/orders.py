"""Orders of the mechanisms by worst variance that the paper states, compared with exact variances.

Source: Wang et al., *Collecting and Analyzing Multidimensional Data with Local Differential
Privacy*, Table I and Corollary 2. For several attributes PM and HM mean Algorithm 4 with k by Eq.
12.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import nextafter
from typing import Literal

import attrs

from protocols.mechanisms.attributes import Attributes
from protocols.mechanisms.duchi_multi import DuchiMulti, DuchiVariant
from protocols.mechanisms.hybrid import EPS_SHARP, EPS_STAR
from protocols.mechanisms.tuples import Tuples

Sign = Literal["<", "="]
CLOSE = 1e-9  # variances with at most this relative difference count as equal


@attrs.frozen
class Order:
    """An order of worst variances that the paper states.

    The order is stated for ε in (`above`, `up_to`], and for d > 1 attributes (`several`) or for one
    attribute.
    """

    setting: str
    names: tuple[str, ...]
    signs: tuple[Sign, ...]
    above: float
    up_to: float
    several: bool = False  # d > 1

    @property
    def stated(self) -> str:
        """The order in words, such as "HM < PM = Duchi"."""
        return self.names[0] + "".join(
            f" {sign} {name}" for sign, name in zip(self.signs, self.names[1:], strict=True)
        )

    def holds(self, variances: dict[str, float]) -> bool:
        """Whether these variances, by the names of the mechanisms, are in the stated order."""
        pairs = zip(self.signs, pairwise(self.names), strict=True)
        return all(_related(sign, variances[one], variances[other]) for sign, (one, other) in pairs)


INFINITE = float("inf")
BELOW_SHARP = nextafter(EPS_SHARP, 0)
TABLE_1 = (
    Order("d > 1", ("HM", "PM", "Duchi"), ("<", "<"), 0, INFINITE, several=True),
    Order("d = 1 and ε > ε#", ("HM", "PM", "Duchi"), ("<", "<"), EPS_SHARP, INFINITE),
    Order("d = 1 and ε = ε#", ("HM", "PM", "Duchi"), ("<", "="), BELOW_SHARP, EPS_SHARP),
    Order("d = 1 and ε* < ε < ε#", ("HM", "Duchi", "PM"), ("<", "<"), EPS_STAR, BELOW_SHARP),
    Order("d = 1 and 0 < ε <= ε*", ("HM", "Duchi", "PM"), ("=", "<"), 0, EPS_STAR),
)


@attrs.frozen
class OrderCheck:
    """A stated order, compared with exact variances.

    `tried` is the number of points (d, ε), `kept` the number of those at which the order holds, and
    `counterexample` the first point at which it fails, or None.
    """

    order: Order
    tried: int
    kept: int
    counterexample: tuple[int, float] | None  # the d and the ε of the counterexample
    variances: dict[str, float] | None  # the exact variances at the counterexample


def worst_variances(
    epsilon: float, attributes: int, variant: DuchiVariant = "corrected"
) -> dict[str, float]:
    """Return the worst variance of one attribute's number in a report, for HM, PM and Duchi et
    al.'s mechanism.

    `variant` chooses the corrected or the printed version of Duchi et al.'s mechanism.

    >>> {name: round(value, 2) for name, value in worst_variances(1.0, 1).items()}
    {'HM': 4.29, 'PM': 5.22, 'Duchi': 4.68}
    """
    every = Attributes(attributes)
    return {
        "HM": Tuples(epsilon, every, "hm").worst_variance,
        "PM": Tuples(epsilon, every, "pm").worst_variance,
        "Duchi": DuchiMulti(epsilon, attributes, variant).worst_variance,
    }


def check_order(
    order: Order,
    attributes: Sequence[int],
    epsilons: Sequence[float],
    variant: DuchiVariant = "corrected",
) -> OrderCheck:
    """Check an order at those of the d and ε for which the paper states it."""
    places = [
        (d, epsilon)
        for d in attributes
        for epsilon in epsilons
        if (d > 1) == order.several and order.above < epsilon <= order.up_to
    ]
    tried = [(place, worst_variances(place[1], place[0], variant)) for place in places]
    broken = [(place, variances) for place, variances in tried if not order.holds(variances)]
    first = broken[0] if broken else (None, None)
    return OrderCheck(order, len(places), len(places) - len(broken), *first)


def _related(sign: Sign, one: float, other: float) -> bool:
    equal = abs(one - other) <= CLOSE * max(one, other)
    return equal if sign == "=" else one < other and not equal
