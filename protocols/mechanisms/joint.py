"""The law of a whole report on several attributes.

A report is on k of the attributes, drawn independently of the values. Given these attributes, the
parts of the report are independent, and each has its own law: a row of probabilities, or a density.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from math import comb, prod

import attrs

from protocols.mechanisms.channel import epsilon_of
from protocols.mechanisms.density import Density, epsilon_between

ChanceRow = tuple[Fraction, ...]
Places = tuple[int, ...]
MOST_LISTED = 1 << 16  # up to this many outcomes, the law of a report is listed


@attrs.frozen
class JointLaw:
    """The law of one user's report on k of its attributes, where every set of k is equally
    likely.

    `parts[j]` is the law for attribute j, counted from 0. A law for several attributes at once
    stands at the first of them; the entries of the other attributes are None.
    """

    parts: tuple[ChanceRow | Density | None, ...]
    k: int

    @property
    def sets(self) -> Iterator[Places]:
        """The sets of attributes, counted from 0, on which a report can be; each set has
        probability `chance`.
        """
        return combinations(range(len(self.parts)), self.k)

    @property
    def chance(self) -> Fraction:
        """The probability of each set."""
        return Fraction(1, comb(len(self.parts), self.k))

    def part_laws(self, places: Places) -> tuple[ChanceRow | Density, ...]:
        """Return the laws of the independent parts of a report on these attributes."""
        return tuple(part for part in (self.parts[place] for place in places) if part is not None)

    def rows(self) -> dict[tuple[Places, Places], Fraction]:
        """Return the probability of every whole report.

        A report is given by its set of attributes, and by the place, from 0, of each part's
        outcome in the row of this part.
        Raises `ValueError` if a part has a density, and for more than 65,536 reports.
        """
        if any(isinstance(part, Density) for part in self.parts):
            raise ValueError(
                "reports with a density are not listed: `part_laws` has the laws of their parts"
            )
        reports = comb(len(self.parts), self.k)
        if reports <= MOST_LISTED:
            reports = sum(prod(map(len, self._rows_on(places))) for places in self.sets)
        if reports > MOST_LISTED:
            raise ValueError(
                f"a law of more than {MOST_LISTED} reports is not listed: `part_laws` has the "
                "laws of their parts"
            )
        table = {}
        for places in self.sets:
            laws = self._rows_on(places)
            for outcome in product(*(range(len(law)) for law in laws)):
                chances = (law[at] for law, at in zip(laws, outcome, strict=True))
                table[places, outcome] = self.chance * prod(chances, start=Fraction(1))
        return table

    def _rows_on(self, places: Places) -> list[ChanceRow]:
        return [part for part in self.part_laws(places) if not isinstance(part, Density)]


def epsilon_of_reports(first: JointLaw, second: JointLaw) -> float:
    """Return the ε between the laws of whole reports on two tuples, or an upper bound on it.

    For each set of attributes we add up the ε of the parts; the result is the largest of these
    sums. If the ratios of two parts are largest in different directions, the sum is only an upper
    bound.
    """
    return max(
        sum(
            _apart(first_part, second_part)
            for first_part, second_part in zip(
                first.part_laws(places), second.part_laws(places), strict=True
            )
        )
        for places in first.sets
    )


def _apart(first: ChanceRow | Density, second: ChanceRow | Density) -> float:
    if isinstance(first, Density) and isinstance(second, Density):
        return epsilon_between([first, second])
    assert not isinstance(first, Density)
    assert not isinstance(second, Density)
    return epsilon_of([first, second])
