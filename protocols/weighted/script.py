"""Weighted aggregation: groups of users with privacy budgets of their own, and one estimate.

Each group runs a protocol instance of its own; a server averages the groups' estimates with
weights. Nobody learns more than inside the groups, but for the server, which learns every group's
estimate. Source: Yang et al., section 3.2. What is said about it stands in `about.py`.
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
    """What the protocol of a group must be: one whose number of users is known."""

    @property
    def users(self) -> int:
        """n_j, the number of users."""
        ...


@attrs.frozen
class WeightedGroup:
    """A group: the protocol that it runs, and what is said about it.

    Groups are weighed by the error that is expected of their estimate, and one party of each group
    sends the estimate on, so the record must have `expected_squared_l2` and `estimator`.
    """

    protocol: GroupProtocol
    describe: Describe = attrs.field(repr=False, eq=False)  # the function `about` of the protocol

    def __attrs_post_init__(self) -> None:
        if self.about.estimator is None or self.about.expected_squared_l2 is None:
            raise ValueError(
                f"a group's estimator and the error expected of it must be known beforehand, "
                f"and of {self.about.name} they are not"
            )

    @functools.cached_property
    def about(self) -> About:
        """What is said about the protocol."""
        return self.describe(self.protocol)

    @property
    def estimator(self) -> str:
        """The party who ends up with the group's estimate."""
        assert self.about.estimator is not None  # checked when the group was made
        return self.about.estimator

    @property
    def variance(self) -> float:
        """V_j = n_j times the expected squared L2 error of the group's estimate.

        Where it depends on what users hold, as with numbers, it is the error at worst: weights are
        fixed beforehand.
        """
        assert self.about.expected_squared_l2 is not None  # checked when the group was made
        return self.protocol.users * self.about.expected_squared_l2

    @property
    def items(self) -> int | None:
        """The number of items; None where users hold numbers."""
        return self.protocol.items if isinstance(self.protocol, OverItems) else None

    @property
    def inputs(self) -> int:
        """How many parties hold an input, a crowd being one."""
        return sum(seat.takes_input for seat in self.protocol.parties().values())


@attrs.frozen
class Weighted:
    """What every party knows: the groups, all over the same items, and how they are weighed."""

    groups: tuple[WeightedGroup, ...]
    method: Method = "vwa"
    target: Target = "distribution"

    def __attrs_post_init__(self) -> None:
        checks.one_of("method", self.method, METHODS)
        checks.one_of("target", self.target, TARGETS)
        if len({group.items for group in self.groups}) != 1:
            raise ValueError(
                "weighted aggregation needs at least one group, and the same items in all of them"
            )

    @property
    def users(self) -> int:
        """The users of all groups."""
        return sum(self.sizes)

    @property
    def items(self) -> int:
        """The number of items, the same in every group; 1 where a mean of numbers is estimated."""
        return self.groups[0].items or 1

    @property
    def sizes(self) -> list[int]:
        """n_j, the users of each group."""
        return [group.protocol.users for group in self.groups]

    @property
    def variances(self) -> list[float]:
        """V_j, what one user of each group stands for."""
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
        """Δ(w): of the noise alone, whatever the target."""
        return error(self.weights, self.sizes, self.variances)

    @property
    def scopes(self) -> list[tuple[str, WeightedGroup]]:
        """Each group, with what stands before the names of its parties: `g1.` and so on."""
        return [(f"g{place}.", group) for place, group in enumerate(self.groups, start=1)]

    def parties(self) -> Mapping[str, Seat]:
        """Each group's parties, under names with `g1.` and so on before them, and `server`."""
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
        """The ideal world: every group's own, if it has one."""
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
    """What a party of a group does: its part there.

    If it ends up with the group's estimate, it sends that to the server.
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
