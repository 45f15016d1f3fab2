"""Unary encoding: a report has one bit for each item, and every bit is noisy independently.

The bit of the user's own item is 1 with probability p, and every other bit with probability q.
SUE (symmetric, basic RAPPOR) flips every bit with the same probability. OUE (optimised) uses p =
1/2, with which the variance for an item that nobody holds is least. ε is the largest log ratio of
the probabilities of a report under two items. The laws of the reports on two items differ in two
bits, so e^ε = p (1 - q) / (q (1 - p)).

Source: Wang et al., *Locally Differentially Private Protocols for Frequency Estimation*, 2017,
section 4.2, Theorems 1 and 2.
"""

import functools
import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.channel import epsilon_of
from protocols.mechanisms.odds import exp
from protocols.mechanisms.pure import Pure, few_items, item_names
from simnet.arrays import Bools, Ints, Numbers
from simnet.coins.coins import Coins
from simnet.values.typed import Typed, bits

BLOCK = 1 << 22  # bits per step when reports are drawn only to count supports
FEW = 16  # up to this many items, `law` lists all 2**N reports
MOST_LISTED = 4  # up to this many bits, a description lists whole reports, otherwise single bits


class UnaryReports(Pure):
    """Reports of N bits; a subclass defines p and q."""

    def bit_law(self, value: int, few: int | None = None) -> tuple[Fraction, ...]:
        """Return the probability of a 1 in each bit of the report of a user who holds `value` in
        1..N.

        Shape (N,), or (few,) for the first `few` bits.
        """
        (own_item,) = checks.whole_numbers("values", [value], 1, self.items)
        p, q = self.exact_chances
        last = self.items if few is None else few
        return tuple(p if item == own_item else q for item in range(1, last + 1))

    def support_chance(self, value: int) -> Fraction:
        """Return the probability that bit 1 is 1 in a report of a holder of `value`."""
        return self.bit_law(value, 1)[0]

    def named_chances(self, value: int) -> list[tuple[str, Fraction]]:
        """Return the probability of each report, or with more than four bits, of a 1 in each bit.

        With more than 40 bits, one entry stands for each of bits 3..N (see `Pure.named_chances`).
        """
        if self.items <= MOST_LISTED:
            names = [f"{number:0{self.items}b}" for number in range(2**self.items)]
            return list(zip(names, self.law(value), strict=True))
        few = few_items(self.items)
        names = item_names(self.items, few, "bit {} is 1", "bit j is 1 (each j in {})")
        return list(zip(names, self.bit_law(value, few), strict=True))

    def law(self, value: int) -> tuple[Fraction, ...]:
        """Return the probability of each of the 2**N reports.

        Reports are in order from all zeros; the last bit changes fastest. Raises `ValueError` for a
        value outside 1..N, and for more than 16 items: `bit_law` has the same information.
        """
        if self.items > FEW:
            raise ValueError(
                f"2**{self.items} reports are too many to list: bit_law gives the law of every bit"
            )
        return joint_law(self.bit_law(value))

    @functools.cached_property
    def exact_epsilon(self) -> float:
        """The ε of the law of a report.

        The laws for two items differ only in the bits of these items. So items 1 and 2, and bits 1
        and 2, stand for all pairs.
        """
        return epsilon_of([joint_law(self.bit_law(value, 2)) for value in (1, 2)])

    @property
    def report_bits(self) -> int:
        """The number of bits of a report on the wire."""
        return self.items

    def payload(self, reports: Bools) -> Typed:
        """Return the reports, encoded for sending: bits."""
        return bits(reports)

    @property
    def form(self) -> Typed:
        """An empty batch of reports, which shows their wire type and shape."""
        return self.payload(np.empty((0, self.items), dtype=np.bool_))

    def received(self, numbers: Numbers) -> Bools:
        """Return the reports that the received bits stand for."""
        return numbers.astype(np.bool_)

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Bools:
        """Return one report for each user, row j from user j; shape (n, N).

        Raises `ValueError` for a value outside 1..N.
        """
        items = checks.whole_numbers("values", values, 1, self.items)
        p, q = self.exact_chances
        reports = coins.bernoullis(q, items.size * self.items).reshape(items.size, self.items)
        reports[np.arange(items.size), items - 1] = coins.bernoullis(p, items.size)
        return reports

    def perturbed(self, values: npt.ArrayLike, coins: Coins) -> Iterator[Bools]:
        """Yield reports as `perturb` makes them, for one group of consecutive users after
        another.
        """
        items = checks.whole_numbers("values", values, 1, self.items)
        users = max(BLOCK // self.items, 1)
        for start in range(0, items.size, users):
            yield self.perturb(items[start : start + users], coins)

    def supports(self, reports: npt.ArrayLike) -> Ints:
        """Return how many reports have each bit set; shape (N,).

        Raises `ValueError` for another shape than (n, N), and for entries other than 0 and 1.
        """
        rows = np.asarray(reports)
        if rows.ndim != 2 or rows.shape[1] != self.items:
            raise ValueError(f"reports are rows of {self.items} bits, got shape {rows.shape}")
        if rows.dtype != np.bool_ and not np.isin(rows, (0, 1)).all():
            wrong = rows[~np.isin(rows, (0, 1))][0]
            raise ValueError(f"a report holds bits, 0 or 1, got {wrong}")
        return _column_sums(rows.astype(np.uint8, copy=False))

    def draw_supports(self, holders: npt.ArrayLike, coins: Coins) -> Ints:
        """Draw the supports of a population's reports without drawing the reports; shape (N,)."""
        counts = checks.whole_numbers("holders", holders, 0, np.iinfo(np.int64).max, self.items)
        p, q = self.exact_chances
        return np.asarray(
            coins.binomials(counts, p).plain + coins.binomials(counts.sum() - counts, q).plain
        )


@attrs.frozen
class Unary(UnaryReports):
    """Unary encoding with any probabilities q < p of a 1; ε may be infinite.

    Raises `ValueError` for other probabilities, and for fewer than two items.
    """

    p: float | Fraction
    q: float | Fraction
    items: int  # N >= 2

    def __attrs_post_init__(self) -> None:
        checks.chance("p", self.p)
        checks.chance("q", self.q)
        checks.whole("items", self.items, 2)
        if self.q >= self.p:
            raise ValueError(
                "the bit of the own item is likelier to be 1 than another bit, q < p, got "
                f"p={self.p} and q={self.q}"
            )

    @property
    def stated_epsilon(self) -> None:
        """None: the mechanism takes probabilities, not an ε."""
        return

    @property
    def exact_chances(self) -> tuple[Fraction, Fraction]:
        """The given probabilities; a float counts as the exact binary fraction."""
        return Fraction(self.p), Fraction(self.q)


@attrs.frozen
class SUE(UnaryReports):
    """Symmetric unary encoding over N = `items` >= 2 items: p = e^(ε/2) / (1 + e^(ε/2)), q = 1 -
    p.

    Raises `ValueError` for parameters out of range.

    >>> sue = SUE(epsilon=2.0, items=3)
    >>> [round(chance, 4) for chance in sue.support_chances]
    [0.7311, 0.2689]
    """

    epsilon: float  # ε > 0
    items: int  # N >= 2

    def __attrs_post_init__(self) -> None:
        checks.epsilon(self.epsilon)
        checks.whole("items", self.items, 2)

    @property
    def stated_epsilon(self) -> float:
        """The requested ε."""
        return self.epsilon

    @property
    def exact_chances(self) -> tuple[Fraction, Fraction]:
        """The probabilities p and q that the bit of the user's own item, and another bit, is 1."""
        root = exp(Fraction(self.epsilon) / 2)
        return root / (1 + root), 1 / (1 + root)


@attrs.frozen
class OUE(UnaryReports):
    """Optimised unary encoding over N = `items` >= 2 items: p = 1/2 and q = 1 / (1 + e^ε).

    Raises `ValueError` for parameters out of range.

    >>> from simnet.coins.sampled import SampledCoins
    >>> oue = OUE(epsilon=1.0, items=4)
    >>> oue.perturb([1, 4, 4], SampledCoins(7, "u1")).shape
    (3, 4)
    >>> round(oue.exact_epsilon, 9), [round(chance, 4) for chance in oue.support_chances]
    (1.0, [0.5, 0.2689])
    """

    epsilon: float  # ε > 0
    items: int  # N >= 2

    def __attrs_post_init__(self) -> None:
        checks.epsilon(self.epsilon)
        checks.whole("items", self.items, 2)

    @property
    def stated_epsilon(self) -> float:
        """The requested ε."""
        return self.epsilon

    @property
    def exact_chances(self) -> tuple[Fraction, Fraction]:
        """The probabilities p and q that the bit of the user's own item, and another bit, is 1."""
        return Fraction(1, 2), 1 / (1 + exp(self.epsilon))


def joint_law(chances: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Return the probability of every row of independent bits; `chances[j]` is that of a 1 in
    bit j.

    The last bit changes fastest.
    """
    pairs = [(1 - chance, chance) for chance in chances]
    return tuple(math.prod(row, start=Fraction(1)) for row in itertools.product(*pairs))


def _column_sums(reports: Numbers) -> Ints:
    rows, items = reports.shape
    whole = rows - rows % 255
    partial = np.add.reduce(reports[:whole].reshape(-1, 255, items), axis=1, dtype=np.uint8)
    return np.asarray(
        partial.sum(axis=0, dtype=np.int64) + reports[whole:].sum(axis=0, dtype=np.int64)
    )
