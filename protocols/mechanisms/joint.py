"""The law of a whole report on several attributes.

It says which attributes the report is on, and what it says of each. The attributes are chosen
blindly; given which they are, the parts of the report are independent, each with a law of its own:
a row of chances, or a density. All of it is exact, so the ε of the whole report can be read off
tiny instances.
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
MOST_LISTED = 1 << 16  # outcomes of a report whose law is multiplied out


@attrs.frozen
class JointLaw:
    """The law of one user's report on k of its attributes, every set of k equally likely.

    `parts[j]` are the laws for attribute j. A part that stands for several attributes at once is at
    its first one; the others have none.
    """

    parts: tuple[ChanceRow | Density | None, ...]
    k: int

    @property
    def sets(self) -> Iterator[Places]:
        """The sets of attributes, from 0, that a report may be on; each has the chance `chance`."""
        return combinations(range(len(self.parts)), self.k)

    @property
    def chance(self) -> Fraction:
        """The chance of each set."""
        return Fraction(1, comb(len(self.parts), self.k))

    def part_laws(self, places: Places) -> tuple[ChanceRow | Density, ...]:
        """The laws of the independent parts of a report on these attributes."""
        return tuple(part for part in (self.parts[place] for place in places) if part is not None)

    def rows(self) -> dict[tuple[Places, Places], Fraction]:
        """The chance of every whole report: the set, and of each of its parts the place in the row.

        Raises `ValueError` where a part has a density, and for too many reports.
        """
        table = {}
        for places in self.sets:
            laws = [part for part in self.part_laws(places) if not isinstance(part, Density)]
            if len(laws) < len(self.part_laws(places)):
                raise ValueError(
                    "reports with a density are not listed: `part_laws` has the laws of their parts"
                )
            if comb(len(self.parts), self.k) * prod(map(len, laws)) > MOST_LISTED:
                raise ValueError(
                    f"a law of more than {MOST_LISTED} reports is not listed: `part_laws` has it"
                )
            for outcome in product(*(range(len(law)) for law in laws)):
                chances = (law[at] for law, at in zip(laws, outcome, strict=True))
                table[places, outcome] = self.chance * prod(chances, start=Fraction(1))
        return table


def epsilon_of_reports(first: JointLaw, second: JointLaw) -> float:
    """The ε between the laws of whole reports on two tuples.

    It is the largest sum, over the sets, of the ε of the parts; an upper bound where the ratios of
    two parts are largest in different directions. For use from Python: no command calls it.
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
