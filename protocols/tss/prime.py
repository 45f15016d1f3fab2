"""TSS′: TSS with a floor under the number of users elected for an item.

So no few of them can collude. For an item with m reporters, max(φ + 1, m) users are elected; since
these may be more than the reporters, m is published too. No φ users learn a share-protected value
(on Shamir's sharing, none below its threshold do). Reporting sets and elections they see as in TSS.
Source: Yang et al., Algorithm 4.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import attrs

from protocols import checks
from protocols.tss.script import TSS
from simnet.arrays import Ints
from simnet.scenario.settings import hands_settings_to
from simnet.values.typed import Typed, index

Bound = Annotated[int, "φ, how many colluding users must learn nothing, 0 <= φ < n"]


@attrs.frozen(kw_only=True)
class TSSPrime(TSS):
    """What every party knows: as in TSS, and φ."""

    bound: Bound

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        checks.colluder_bound(self.bound, self.users)

    def group_size(self, reporters: int) -> int:
        """The number of elected users, m' = max(φ + 1, m)."""
        return max(self.bound + 1, reporters)

    def announcement(self, item: int, reporters: int, elected: Ints) -> tuple[Typed, ...]:
        """The item, its number of reporters, and the elected users."""
        return (
            index(item, self.items, "Nd"),
            index(reporters, self.users + 1),
            index(elected, self.users),
        )

    def announced(self, message: Sequence[Typed]) -> tuple[int, Ints]:
        """How many report on an item, and who is elected, from an announcement."""
        return int(message[1].numbers()), message[2].numbers()


@hands_settings_to(TSSPrime)
def tss(
    *,
    items: int,
    reported: Annotated[
        int | None,
        "k = αN, how many items a user reports on, 1 <= k <= N; two fifths of N unless set",
    ] = None,
    bound: int | None = None,
    **parameters: Any,
) -> TSS:
    """TSS, or with a `bound` TSS′, for a number of items that is not known beforehand.

    Without `reported`, users report on two fifths of the items, rounded, and on one at least.
    """
    k = max(round(0.4 * items), 1) if reported is None else reported
    if bound is None:
        return TSS(items=items, reported=k, **parameters)
    return TSSPrime(items=items, reported=k, bound=bound, **parameters)
