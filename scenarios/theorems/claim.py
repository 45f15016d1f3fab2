"""Claims of papers that can be computed: claimed numbers beside the exact values.

Example. Lemma 3.1 of Yang et al. gives a formula for the squared error of DPDS. The claim compares
the value of that formula with the error that follows from the exact law of the counts. `DeltaClaim`
keeps upper bounds on δ as logarithms, because they may be smaller than every positive
floating-point number; `ValueClaim` keeps numbers as they are.
"""

from collections.abc import Callable, Mapping
from math import floor, inf, log
from typing import Any

import attrs

from protocols import checks
from protocols.checks import LEAST_EPSILON
from protocols.privacy.sampled_counts import LARGE_EPSILON, RELATIONS, Relation
from protocols.privacy.statement import positive_epsilon
from simnet.stated.privacy import small_in_words, small_number

# With these numbers all claims together take a few seconds, or up to a minute for two items.
MOST_USERS, MOST_ITEMS = 10**8, 10**6
# A number that exceeds a claimed bound by at most this share counts as equal to the bound.
ROUNDING = 1e-9


@attrs.frozen
class Setting:
    """The parameters for which claims are judged: numbers of users and items, budgets, and
    so on. Raises `ValueError` for values out of range.
    """

    users: int  # n
    items: int  # N
    beta: float  # β: every item has at least β n holders
    epsilon: float
    z: float | None = None  # the z of Theorem 3.2; without z the theorem claims nothing
    delta: float = 1e-5  # of DPDG
    # k of TSS; None stands for two fifths of the items, rounded, and at least 1
    reported: int | None = None
    gamma: float = 2.0  # γ of the adaptive reporting sets

    def __attrs_post_init__(self) -> None:
        checks.users_and_items(self.users, self.items)
        positive_epsilon(self.epsilon)
        if not LEAST_EPSILON <= self.epsilon <= LARGE_EPSILON:
            raise ValueError(
                f"claims are judged for epsilon from {LEAST_EPSILON:g} to {LARGE_EPSILON:g}, "
                f"got {self.epsilon}"
            )
        for name, number, most in (
            ("users", self.users, MOST_USERS),
            ("items", self.items, MOST_ITEMS),
        ):
            if number > most:
                raise ValueError(f"claims are judged for up to {most:,} {name}, got {number:,}")
        if not 0 < self.beta <= 1 / self.items:
            raise ValueError(
                f"β is above 0 and at most 1/{self.items} (1 divided by the number of items), "
                f"got {self.beta}"
            )
        if self.rarest * self.items > self.users:
            raise ValueError(
                f"with β = {self.beta} each of the {self.items:,} items has at least "
                f"{self.rarest:,} of {self.users:,} users, which would be "
                f"{self.rarest * self.items:,} users"
            )
        if self.z is not None and not 0 < self.z < inf:
            raise ValueError(f"z is positive and finite, got {self.z}")
        checks.delta(self.delta)
        checks.reported_items(self.k, self.items)
        checks.adaptive_weight(self.gamma)

    @property
    def rarest(self) -> int:
        """The number of holders that β asks of every item: β n, rounded up, and at least 1."""
        below = floor(self.beta * self.users)
        exact = (
            below / self.users >= self.beta
        )  # below / users is rounded as β was; the product β * users may be rounded otherwise
        return max(below if exact else below + 1, 1)

    @property
    def k(self) -> int:
        """k, the number of items that a user of TSS reports on."""
        return max(round(0.4 * self.items), 1) if self.reported is None else self.reported


@attrs.frozen(kw_only=True)
class JudgedClaim:
    """The verdict on a claim for given parameters.

    If nothing is claimed for these parameters, `claimed` and `holds` are None. If no exact
    number is computed for them, `exact` is empty and `holds` is None. With `is_log` the numbers are
    natural logarithms of δ.
    """

    claim: str
    statement: str
    source: str
    quantity: str  # what the numbers are, such as "δ"
    claimed: float | None
    exact: Mapping[Any, float]  # maps a neighbouring relation to a δ, or "value" to another number
    holds: bool | None
    is_log: bool

    def in_words(self) -> tuple[str, str]:
        """Two texts: the claimed number, and the exact numbers."""
        said = small_in_words if self.is_log else "{:.6g}".format
        exact = ", ".join(
            said(value) + ("" if name == "value" else f" {name}")
            for name, value in self.exact.items()
        )
        return "" if self.claimed is None else said(self.claimed), exact

    def as_json(self) -> dict[str, Any]:
        """Return the verdict as an object for JSON; later versions keep these keys."""
        shown = small_number if self.is_log else float
        return {
            "claim": self.claim,
            "statement": self.statement,
            "source": self.source,
            "quantity": self.quantity,
            "claimed": None if self.claimed is None else shown(self.claimed),
            **{
                f"exact_{name}": shown(self.exact[name]) if name in self.exact else None
                for name in RELATIONS
            },
            "exact": shown(self.exact["value"]) if "value" in self.exact else None,
            "log10_claimed": self.claimed / log(10)
            if self.is_log and self.claimed is not None
            else None,
            "holds": self.holds,
        }


@attrs.frozen
class DeltaClaim:
    """A claimed upper bound on δ, for one neighbouring relation or for both.

    `claimed` and `exact` are functions that return ln δ. `claimed` returns None where nothing
    is claimed, and `exact` returns None where no exact value is defined.
    """

    name: str
    statement: str
    source: str
    claimed: Callable[[Setting], float | None]
    exact: Callable[[Setting, Relation], float | None]
    relations: tuple[Relation, ...] = RELATIONS

    def holds(self, setting: Setting) -> bool | None:
        """Whether the exact δ stays within the bound, for each relation that has an exact δ; None
        where nothing is claimed or no exact value is defined.
        """
        return self.judge(setting).holds

    def judge(self, setting: Setting) -> JudgedClaim:
        """Return the claimed bound beside the exact values of δ, all as natural logarithms."""
        claimed = self.claimed(setting)
        values = {relation: self.exact(setting, relation) for relation in self.relations}
        exact = {relation: value for relation, value in values.items() if value is not None}
        holds = None
        if claimed is not None and exact:
            holds = all(value <= claimed + ROUNDING for value in exact.values())
        return JudgedClaim(
            claim=self.name,
            statement=self.statement,
            source=self.source,
            quantity="δ",
            claimed=claimed,
            exact=exact,
            holds=holds,
            is_log=True,
        )


@attrs.frozen
class ValueClaim:
    """A claimed number: a value, or with `is_bound` an upper bound.

    `quantity` says in words what the number is. `tolerance` is the relative difference up to which
    two numbers count as equal.
    """

    name: str
    statement: str
    source: str
    quantity: str
    claimed: Callable[[Setting], float | None]
    exact: Callable[[Setting], float | None]
    is_bound: bool = False
    tolerance: float = ROUNDING

    def holds(self, setting: Setting) -> bool | None:
        """Whether the exact value equals the claimed value or, for a bound, is at most the claimed
        value. None if nothing is claimed or no exact value is computed.
        """
        return self.judge(setting).holds

    def judge(self, setting: Setting) -> JudgedClaim:
        """Return the claimed value beside the exact value."""
        claimed, exact = self.claimed(setting), self.exact(setting)
        return JudgedClaim(
            claim=self.name,
            statement=self.statement,
            source=self.source,
            quantity=self.quantity,
            claimed=claimed,
            exact={} if exact is None else {"value": exact},
            holds=None if claimed is None or exact is None else self._agree(claimed, exact),
            is_log=False,
        )

    def _agree(self, claimed: float, exact: float) -> bool:
        # The slack stays finite, so that an infinite value equals only itself.
        slack = self.tolerance * min(max(abs(exact), abs(claimed)), 1e300)
        return exact <= claimed + slack if self.is_bound else abs(exact - claimed) <= slack


PaperClaim = DeltaClaim | ValueClaim
