"""Operations of one party, counted where they are performed: by arrays, by coins and by the kernel.

The kinds are those of the papers' cost tables: FA field addition, FM field multiplication, RM real
multiplication, BS Bernoulli draw, aS draw of a subset of items, FS uniform field element drawn, nA
addition of whole numbers, nS whole number drawn, RS real number or noise drawn.
"""

from collections import Counter
from typing import Literal

Operation = Literal["FA", "FM", "RM", "BS", "aS", "FS", "nA", "nS", "RS"]


class Meter:
    """Counts the operations of one party. Arrays, coins and the kernel call `bill`; scripts must
    not.

    `in_script` says that the run goes on: a script can then not read the numbers of the arrays that
    the party holds. `changed` says that operations were counted since the log of the run last
    looked. `in_doors` counts the operations of doors' functions since then, if the run has a
    network.
    """

    __slots__ = ("changed", "counts", "in_doors", "in_script")

    def __init__(self) -> None:
        self.in_script = False
        self.changed = False
        self.in_doors: Counter[Operation] | None = None
        self.counts: Counter[Operation] = Counter()

    def bill(self, operation: Operation, times: int) -> None:
        """Add `times` operations of one kind."""
        self.counts[operation] += times
        self.changed = True
