"""TSS′: TSS that elects more than φ users for every item.

For an item with m reporters, S1 elects max(φ + 1, m) users. This can be more than m, so S1 also
publishes m. With additive sharing, no φ users can then learn another user's secret-shared value;
with Shamir's sharing, users who hold fewer shares of every item than its threshold learn nothing
from shares. Reporting sets and elections are visible as in TSS.

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

Bound = Annotated[
    int, "φ: any φ colluding users learn nothing from additive shares; a whole number, 0 <= φ < n"
]

Reported = Annotated[
    int | None,
    "k = αN, how many items a user reports on, 1 <= k <= N; by default about two fifths of N",
]
Alpha = Annotated[
    float | None,
    "α, the share of the items that a user reports on, in place of k; αN is a whole number",
]
# α may be rounded to four decimals, if αN changes by at most 0.01; a bit more than half of the
# last decimal, because floats of such an α lie above or below it
ROUNDED = 5e-5 * (1 + 1e-9)
SHARE = 0.4  # α by default, as in section 4.2.3; the number of items is then rounded


def items_reported(items: int, reported: int | None, alpha: float | None) -> int:
    """Return k, the number of items that a user reports on: `reported`, or αN.

    If neither is given, it is two fifths of the items, rounded, and at least 1. With fewer
    than 200 items, `alpha` may be rounded to four decimals. Raises `ValueError` for no items, if
    both are given, or if αN is not a whole number from 1 to N; `reported` is returned without a
    check.

    >>> items_reported(30, None, 0.1), items_reported(12, None, None)
    (3, 5)
    """
    checks.users_and_items(2, items)
    if alpha is None:
        return max(round(SHARE * items), 1) if reported is None else reported
    if reported is not None:
        raise ValueError(f"give reported={reported} or alpha={alpha:g}, not both")
    k = alpha * items
    if not 0 < alpha <= 1 or round(k) < 1 or abs(k - round(k)) > min(ROUNDED * items, 0.01):
        raise ValueError(
            f"alpha is the share of the {items} items that a user reports on: alpha times {items} "
            f"is a whole number from 1 to {items}, as with alpha="
            f"{max(round(SHARE * items), 1) / items:.{4 if items < 200 else 12}g}; "
            f"alpha={alpha:g} gives {k:g}"
        )
    return round(k)


@attrs.frozen(kw_only=True)
class TSSPrime(TSS):
    """The parameters of TSS′: those of TSS, and `bound`, which is φ with 0 <= φ < n.

    With additive sharing no φ users can open a secret, because every item has at least φ + 1
    elected users.

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
    reported: Reported = None,
    alpha: Alpha = None,
    bound: int | None = None,
    **parameters: Any,
) -> TSS:
    """Return TSS, or TSS′ if a `bound` is given.

    `reported` is k, or `alpha` is α = k/N. By default k is two fifths of the items, rounded, and at
    least 1. Raises `ValueError` for an `alpha` that gives no whole number of items, for both
    `reported` and `alpha`, and for parameters out of range.
    """
    k = items_reported(items, reported, alpha)
    if bound is None:
        return TSS(items=items, reported=k, **parameters)
    return TSSPrime(items=items, reported=k, bound=bound, **parameters)
