"""Weighted aggregation: groups of users with privacy budgets of their own, and one estimate from
all of them.

Each group runs a protocol instance of its own; a server averages the groups' estimates with
weights. Nobody learns more than inside the groups, but for the server, which learns every group's
estimate. Source: Yang et al., section 3.2; VWA is equation (4).
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.local_frequency.script import FrequencyCollection
from protocols.local_mean.script import MeanCollection
from protocols.reports import collection
from simnet.contract import Holder
from simnet.kernel.party import Party
from simnet.kernel.run import Run
from simnet.kernel.tags import Tag
from simnet.roster import Script, Seat
from simnet.stated.assessment import Assessment
from simnet.stated.bill import Expectation
from simnet.stated.disclosure import Disclosure
from simnet.stated.privacy import PrivacyStatement
from simnet.values.field import FieldArray
from simnet.values.typed import reals

Floats = npt.NDArray[np.float64]
Totals = npt.NDArray[Any]  # support of each item, shape (N,), or the sum of numbers, shape (1,)
Method = Literal["vwa", "owa", "uwa", "cpa"]
Target = Literal["distribution", "population"]

METHODS = ("vwa", "owa", "uwa", "cpa")
TARGETS = ("distribution", "population")
ESTIMATE = Tag("estimate")


def weights(method: Method, sizes: Sequence[int], variances: Sequence[float]) -> Floats:
    """The weight of a user of each group, adding up to 1; shape (groups,).

    `variances[j]` is V_j, the squared error that one user of group j stands for. VWA weighs by 1 /
    V_j (equation 4), OWA minimises the error numerically and comes to the same, UWA and CPA weigh
    all users alike.
    """
    checks.one_of("method", method, METHODS)
    exact = np.asarray(variances) == 0
    if (
        method in ("vwa", "owa") and exact.any()
    ):  # groups that do not err leave nothing to the others
        return np.asarray(exact / exact.sum())
    if method == "owa":
        return _optimal(sizes, variances)
    raw = 1 / np.asarray(variances, dtype=float) if method == "vwa" else np.ones(len(sizes))
    return np.asarray(raw / raw.sum())


def error(weights: Floats, sizes: Sequence[int], variances: Sequence[float]) -> float:
    """Δ(w) = Σ w_j² n_j V_j / (Σ n_j w_j)², the expected squared L2 error of the weighted
    estimate's noise.
    """
    n, V = np.asarray(sizes, dtype=float), np.asarray(variances, dtype=float)  # noqa: N806  # the paper's letter
    return float(np.sum(weights**2 * n * V) / np.sum(n * weights) ** 2)


def _optimal(sizes: Sequence[int], variances: Sequence[float]) -> Floats:
    """The weights with the least error, found numerically over log-weights (they are positive)."""
    from scipy.optimize import minimize  # here, not above: it takes a while to load

    n, V = np.asarray(sizes, dtype=float), np.asarray(variances, dtype=float)  # noqa: N806  # the paper's letter

    def objective(logs: Floats) -> tuple[float, Floats]:
        w = np.exp(logs - logs.max())
        noise, mass = w**2 * n * V, n * w
        gradient = 2 * noise / noise.sum() - 2 * mass / mass.sum()
        return float(np.log(noise.sum()) - 2 * np.log(mass.sum())), gradient

    found = minimize(
        objective, np.zeros(len(sizes)), jac=True, method="BFGS", options={"gtol": 1e-12}
    )
    best = np.exp(found.x - found.x.max())
    return np.asarray(best / best.sum())


@attrs.frozen
class Weighted:
    """What every party knows: the groups' protocols, all over the same items, and how they are
    weighed.
    """

    groups: tuple[Any, ...]
    method: Method = "vwa"
    target: Target = "distribution"

    name = "weighted"

    def __attrs_post_init__(self) -> None:
        checks.one_of("method", self.method, METHODS)
        checks.one_of("target", self.target, TARGETS)
        if not self.groups or len({getattr(group, "items", None) for group in self.groups}) != 1:
            raise ValueError(
                "weighted aggregation needs at least one group, and the same items in all of them"
            )

    @property
    def users(self) -> int:
        """The users of all groups."""
        return sum(group.users for group in self.groups)

    @property
    def items(self) -> int:
        """The number of items, the same in every group; 1 where the groups estimate the mean of
        numbers.
        """
        return int(getattr(self.groups[0], "items", 1))

    @property
    def sizes(self) -> list[int]:
        """n_j, the users of each group."""
        return [group.users for group in self.groups]

    @property
    def variances(self) -> list[float]:
        """V_j = n_j times the expected squared L2 error of group j's estimate.

        Where it depends on what users hold, as with numbers, it is the error at worst: weights are
        fixed beforehand.
        """
        return [group.users * group.expected_squared_l2 for group in self.groups]

    @property
    def weights(self) -> Floats:
        """The weight of a user of each group; shape (groups,)."""
        return weights(self.method, self.sizes, self.variances)

    @property
    def shares(self) -> Floats:
        """What each group's estimate counts for in the result, adding up to 1; shape (groups,)."""
        raw = self.weights * np.asarray(self.sizes)
        return np.asarray(raw / raw.sum())

    def parties(self) -> Mapping[str, Seat]:
        """`g1.` and so on before the names of each group's parties, and `server`, who
        aggregates.
        """
        seats: dict[str, Seat] = {}
        for scope, group in self._scopes():
            inside = group.parties()
            reporting = inside[group.estimator].role
            scripts: dict[str, Script] = {}
            for name, seat in inside.items():
                if seat.role not in scripts:
                    scripts[seat.role] = _part(scope, seat, seat.role == reporting)
                script = scripts[seat.role]
                seats[scope + name] = attrs.evolve(seat, script=script, role=scope + seat.role)
        return {**seats, "server": Seat(self.server)}

    async def server(self, me: Party) -> Floats:
        """Average the groups' estimates by their shares; shape (N,)."""
        estimates = await me.gather(
            ESTIMATE, [scope + group.estimator for scope, group in self._scopes()]
        )
        return np.asarray(
            sum(share * part.numbers() for share, part in zip(self.shares, estimates, strict=True))
        )

    def functionality(
        self, items: Sequence[int], users: Sequence[Holder]
    ) -> Mapping[str, FieldArray]:
        """The ideal world: every group's own, if it has one."""
        handed, start = {}, 0
        for scope, group in self._scopes():
            stop = start + _inputs(group)
            if hasattr(group, "functionality"):
                inside = group.functionality(items[start:stop], users[start:stop])
                handed.update({scope + name: arrays for name, arrays in inside.items()})
            start = stop
        return handed

    def public(self, run: Run) -> dict[str, dict[str, list[str]]]:
        """What travelled in clear inside the groups, with the group before every name and item."""
        told: dict[str, dict[str, list[str]]] = {}
        for scope, group in self._scopes():
            for what, table in (
                group.public(run.within(scope)).items() if hasattr(group, "public") else ()
            ):
                scoped = {
                    scope + key: [scope + one if what == "elected" else one for one in listed]
                    for key, listed in table.items()
                }
                told.setdefault(what, {}).update(scoped)
        return told

    @property
    def estimator(self) -> str:
        """The party that ends up with the estimate."""
        return "server"

    @property
    def expected_squared_l2(self) -> float:
        """Δ(w): of the noise alone, whatever the target."""
        return error(self.weights, self.sizes, self.variances)

    def assess(self, run: Run, totals: Totals, confidence: float = 0.95) -> Assessment:
        """Hold the estimate against its target; Gaussian intervals of the groups' noise.

        `distribution`: the groups' frequencies in the estimate's own shares, which for i.i.d. users
        estimate the same distribution; its error is the noise alone. `population`: the frequencies
        among all users, to whose error it adds that the groups are composed differently.
        """
        from scipy.special import ndtri  # here, not above: it takes a while to load

        parts = zip(self.groups, self._parts(run), strict=True)
        inside = [group.assess(part, held, confidence) for group, (part, held) in parts]
        mixed = sum(share * one.truth for share, one in zip(self.shares, inside, strict=True))
        variance = sum(
            share**2 * one.variance for share, one in zip(self.shares, inside, strict=True)
        )
        told = sum(
            share**2 * one.estimated_variance
            for share, one in zip(self.shares, inside, strict=True)
        )
        margin = float(ndtri((1 + confidence) / 2)) * np.sqrt(told)
        truth = np.asarray(mixed) if self.target == "distribution" else totals / self.users
        offset = np.asarray(mixed) - truth
        estimate = run.outputs["server"]
        return Assessment(
            estimate=estimate,
            truth=truth,
            low=estimate - margin,
            high=estimate + margin,
            confidence=confidence,
            expected_squared_l2=float(np.sum(variance + offset**2)),
            deviation_squared_l2=float(np.sqrt(np.sum(2 * variance**2 + 4 * offset**2 * variance))),
            variance=np.asarray(variance),
            estimated_variance=np.asarray(told),
        )

    def privacy(
        self, run: Run, totals: Totals, epsilon: float | None, delta: float | None
    ) -> list[PrivacyStatement]:
        """What each group's protocol states of its own users."""
        del totals
        return [
            attrs.evolve(one, view=f"{scope.removesuffix('.')}, {one.view}")
            for (scope, group), (part, held) in zip(self._scopes(), self._parts(run), strict=True)
            for one in group.privacy(part, held, epsilon, delta)
        ]

    def disclosure(self, tags: Collection[str]) -> Disclosure | None:
        """What a view tells where all groups are local collections.

        Of other groups nothing is stated. A group's estimate follows from its reports, so all that
        can be seen of a user is its report, up to the largest ε of any group.
        """
        if not all(
            isinstance(group, FrequencyCollection | MeanCollection) for group in self.groups
        ):
            return None
        reports = {ESTIMATE.name, *(scope + collection.REPORT.name for scope, _ in self._scopes())}
        seen = {collection.REPORT.name if tag in reports else tag for tag in tags}
        mechanisms = [group.mechanism for group in self.groups]
        largest = max(mechanism.exact_epsilon for mechanism in mechanisms)
        return collection.disclosure(
            seen, largest, any(mechanism.continuous for mechanism in mechanisms)
        )

    def workload(self) -> tuple[int, int]:
        """Messages and field elements of all groups."""
        messages, elements = zip(*(group.workload() for group in self.groups), strict=True)
        return sum(messages) + len(self.groups), sum(elements)

    def expected_bill(self, run: Run) -> list[Expectation]:
        """Each group's bill, with the group before the role, and what the server receives."""
        received = len(self.groups) * self.items
        rows = [
            attrs.evolve(row, role=scope + row.role)
            for scope, group in self._scopes()
            for row in group.expected_bill(run.within(scope))
        ]
        return [
            *rows,
            Expectation(
                "server", "communication", "rd", "received", "total", "wire", received, received
            ),
        ]

    def _parts(self, run: Run) -> list[tuple[Run, Totals]]:
        """Each group's part of the run, and how many of its users hold each item, or the sum of
        their numbers.
        """
        parts = [run.within(scope) for scope, _ in self._scopes()]
        return [(part, self._totals(part)) for part in parts]

    def _totals(self, part: Run) -> Totals:
        held = np.concatenate([np.atleast_1d(one) for one in part.inputs.values()])
        if not hasattr(self.groups[0], "items"):
            return np.array([held.sum()])
        return np.bincount(held, minlength=self.items + 1)[1:]

    def _scopes(self) -> list[tuple[str, Any]]:
        return [(f"g{place}.", group) for place, group in enumerate(self.groups, start=1)]


def _part(scope: str, seat: Seat, reports: bool) -> Script:
    """What a party of a group does: its part there, and if it ends up with the group's estimate, it
    sends that to the server.
    """
    part: Any = seat.script

    async def play(me: Party, *held: Any) -> Any:
        result = await part(me.within(scope), *held)
        if reports:
            await me.send(ESTIMATE, to="server", payload=reals(np.atleast_1d(result)))
        return result

    async def with_input(me: Party, held: Any) -> Any:
        return await play(me, held)

    async def without(me: Party) -> Any:
        return await play(me)

    return with_input if seat.takes_input else without


def _inputs(group: Any) -> int:
    """How many parties of a group, a crowd being one, hold an input."""
    return sum(seat.takes_input for seat in group.parties().values())
