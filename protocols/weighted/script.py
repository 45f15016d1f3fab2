"""Weighted aggregation: groups of users, each with its own ε, and one estimate.

Each group runs its own instance of a protocol. A server averages the groups' estimates with
weights. The server learns every group's estimate; otherwise no party learns more than inside its
group.

Source: Yang et al., section 3.2.
"""

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Literal
from typing import Protocol as Interface

import attrs
import numpy as np

from protocols import checks
from protocols.weighted.weights import METHODS, Method, error, weights
from simnet.arrays import Floats
from simnet.contract import Holder, Ideal, OverItems, Protocol
from simnet.kernel.party import Party
from simnet.kernel.tags import Tag
from simnet.roster import Script, Seat
from simnet.stated.about import About, Describe
from simnet.values.field import FieldArray
from simnet.values.sealed import Sealed
from simnet.values.typed import reals

Target = Literal["distribution", "population"]

TARGETS = ("distribution", "population")
ESTIMATE = Tag("estimate")


class GroupProtocol(Protocol, Interface):
    """The protocol of a group: its number of users must be known."""

    @property
    def users(self) -> int:
        """The number of users of the group, n_j."""
        ...


@attrs.frozen
class WeightedGroup:
    """A group of a weighted aggregation: its protocol, and the function `about` of that
    protocol.

    The weights may depend on the expected errors of the groups' estimates, and one party of each
    group sends the estimate on. So the record that `describe(protocol)` returns must have
    `expected_squared_l2` and `estimator`. Raises `ValueError` otherwise.

    >>> from protocols import DPDS, about
    >>> group = WeightedGroup(DPDS(users=100, items=5, participation=0.5), about)
    >>> group.estimator, group.variance
    ('server', 1.0)
    """

    protocol: GroupProtocol
    describe: Describe = attrs.field(repr=False, eq=False)  # the function `about` of the protocol

    def __attrs_post_init__(self) -> None:
        if self.about.estimator is None or self.about.expected_squared_l2 is None:
            raise ValueError(
                "weighted aggregation needs protocols that state beforehand which party estimates, "
                f"and the expected error of the estimate; {self.about.name} does not"
            )

    @functools.cached_property
    def about(self) -> About:
        """The record of statements about the protocol."""
        return self.describe(self.protocol)

    @property
    def estimator(self) -> str:
        """The name of the party that computes the group's estimate."""
        assert self.about.estimator is not None  # checked when the group was made
        return self.about.estimator

    @property
    def variance(self) -> float:
        """The expected squared L2 error of the group's estimate, times the number of users: V_j.

        If the expected error depends on the inputs, as for numbers, V_j uses the largest expected
        error, because weights are fixed beforehand.
        """
        assert self.about.expected_squared_l2 is not None  # checked when the group was made
        return self.protocol.users * self.about.expected_squared_l2

    @property
    def items(self) -> int | None:
        """The number of items; None if users hold numbers."""
        return self.protocol.items if isinstance(self.protocol, OverItems) else None

    @property
    def inputs(self) -> int:
        """The number of parties that hold an input; a crowd is one party."""
        return sum(seat.takes_input for seat in self.protocol.parties().values())


@attrs.frozen
class Weighted:
    """A weighted aggregation of the estimates of `groups`.

    `method` says how weights are chosen: `vwa`, `owa`, `uwa` or `cpa`. `target` says what the
    estimate is compared with: `distribution` or `population`. The name of a party of group j is
    `gj.` followed by its name in the group's protocol. The output of `server` is the weighted
    estimate, shape (N,). Raises `ValueError` for no groups, for groups with different numbers of
    items, and for another method or target.

    >>> from protocols import DPDS, about
    >>> from simnet import run
    >>> groups = [WeightedGroup(DPDS(users=2, items=2, participation=p), about) for p in (1.0, 0.5)]
    >>> both = Weighted(tuple(groups))
    >>> run(both, [1, 2, 1, 1], seed=7).outputs["server"].tolist()  # group 1 has no error
    [0.5, 0.5]
    """

    groups: tuple[WeightedGroup, ...]
    method: Method = "vwa"
    target: Target = "distribution"

    def __attrs_post_init__(self) -> None:
        checks.one_of("method", self.method, METHODS)
        checks.one_of("target", self.target, TARGETS)
        if len({group.items for group in self.groups}) != 1:
            raise ValueError(
                "weighted aggregation needs at least one group, and all groups need the same "
                "number of items"
            )

    @property
    def users(self) -> int:
        """The number of users of all groups."""
        return sum(self.sizes)

    @property
    def items(self) -> int:
        """The number of items, which is the same in every group; 1 for a mean of numbers."""
        return self.groups[0].items or 1

    @property
    def sizes(self) -> list[int]:
        """The number of users of each group, n_j."""
        return [group.protocol.users for group in self.groups]

    @property
    def variances(self) -> list[float]:
        """The value V_j of each group: n_j times the expected squared error of its estimate."""
        return [group.variance for group in self.groups]

    @property
    def weights(self) -> Floats:
        """The weight of a user of each group; shape (groups,)."""
        return weights(self.method, self.sizes, self.variances)

    @property
    def shares(self) -> Floats:
        """The weight of each group's estimate in the result, adding up to 1; shape (groups,)."""
        raw = self.weights * np.asarray(self.sizes)
        return np.asarray(raw / raw.sum())

    @property
    def expected_squared_l2(self) -> float:
        """The error Δ(w) that follows from the values V_j, whatever the target is."""
        return error(self.weights, self.sizes, self.variances)

    @property
    def scopes(self) -> list[tuple[str, WeightedGroup]]:
        """Each group with the prefix of its parties' names: `g1.` and so on."""
        return [(f"g{place}.", group) for place, group in enumerate(self.groups, start=1)]

    def parties(self) -> Mapping[str, Seat]:
        """Return each group's parties, with `g1.` and so on before their names, and `server`."""
        seats: dict[str, Seat] = {}
        for scope, group in self.scopes:
            inside = group.protocol.parties()
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
        senders = [scope + group.estimator for scope, group in self.scopes]
        estimates = await me.gather(ESTIMATE, senders)
        return np.asarray(
            sum(share * part.numbers() for share, part in zip(self.shares, estimates, strict=True))
        )

    def functionality(
        self, items: Sequence[Sealed], users: Sequence[Holder]
    ) -> Mapping[str, FieldArray | Sequence[FieldArray]]:
        """Return the ideal world's outputs: those of every group that has an ideal world."""
        handed: dict[str, FieldArray | Sequence[FieldArray]] = {}
        start = 0
        for scope, group in self.scopes:
            stop = start + group.inputs
            if isinstance(group.protocol, Ideal):
                inside = group.protocol.functionality(items[start:stop], users[start:stop])
                handed.update({scope + name: arrays for name, arrays in inside.items()})
            start = stop
        return handed


def _part(scope: str, seat: Seat, reports: bool) -> Script:
    """Return the script of a party in its group; if the party `reports`, which means that it
    computes the group's estimate, it also sends this estimate to the server.
    """
    part: Any = seat.script

    async def play(me: Party, *inputs: Any) -> Any:
        result = await part(me.within(scope), *inputs)
        if reports:
            estimate = me.disclose(np.atleast_1d, result)
            await me.send(ESTIMATE, to="server", payload=reals(estimate))
        return result

    async def with_input(me: Party, value: Sealed) -> Any:
        return await play(me, value)

    async def without_input(me: Party) -> Any:
        return await play(me)

    return with_input if seat.takes_input else without_input
