"""TSS′: TSS that elects more than φ users for every item.

For an item with m reporters, S1 elects max(φ + 1, m) users. This can be more than m, so S1 also
publishes m. No φ users can then learn a secret-shared value (with Shamir's sharing, no set of users
below its threshold can). Reporting sets and elections are visible as in TSS.

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

Bound = Annotated[int, "φ, the number of colluding users who must learn nothing, 0 <= φ < n"]


@attrs.frozen(kw_only=True)
class TSSPrime(TSS):
    """The parameters of TSS′: those of TSS, and `bound`, which is φ with 0 <= φ < n.

    No φ users can open a secret, because every item has at least φ + 1 elected users.

    Raises `ValueError` for parameters outside their ranges.

    >>> protocol = TSSPrime(users=9, items=3, participation=0.5, reported=1, bound=4)
    >>> protocol.group_size(2), protocol.group_size(7)
    (5, 7)
    """

    bound: Bound

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        checks.colluder_bound(self.bound, self.users)

    def group_size(self, reporters: int) -> int:
        """Return how many users S1 elects for an item with m reporters: m' = max(φ + 1, m)."""
        return max(self.bound + 1, reporters)

    def announcement(self, item: int, reporters: int, elected: Ints) -> tuple[Typed, ...]:
        """Return what S1 publishes for an item: the item, its number of reporters, the elected
        users.
        """
        return (
            index(item, self.items, "Nd"),
            index(reporters, self.users + 1),
            index(elected, self.users),
        )

    def announced(self, message: Sequence[Typed]) -> tuple[int, Ints]:
        """Return, from an announcement, how many users report on the item, and who is elected."""
        return int(message[1].numbers()), message[2].numbers()


@hands_settings_to(TSSPrime)
def tss(
    *,
    items: int,
    reported: Annotated[
        int | None,
        "k = αN, how many items a user reports on, 1 <= k <= N; by default two fifths of N",
    ] = None,
    bound: int | None = None,
    **parameters: Any,
) -> TSS:
    """Return TSS, or TSS′ if a `bound` is given; the number of items may come from the data.

    By default `reported` is two fifths of the items, rounded, and at least 1.
    """
    k = max(round(0.4 * items), 1) if reported is None else reported
    if bound is None:
        return TSS(items=items, reported=k, **parameters)
    return TSSPrime(items=items, reported=k, bound=bound, **parameters)
