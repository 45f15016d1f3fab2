"""The simulator of DPDG's security proof.

It knows the server's output if the server is corrupt, and nothing if users are. Honest users share
zeros, but for the first, who shares all that the server is to get.
"""

from collections.abc import Collection, Sequence

import attrs

from protocols.dpdg.script import DPDG
from protocols.sharing.simulators import declared, first_honest, output_of_server
from simnet.contract import Holder
from simnet.values.field import FieldArray
from simnet.values.sealed import Sealed


@attrs.frozen(kw_only=True)
class SimulatedDPDG(DPDG):
    """DPDG as the simulator plays it with the corrupt parties."""

    corrupt: frozenset[str]
    output: tuple[int, ...]  # what the server is to get; empty where it is honest
    output_holder: str  # the honest user who shares it

    def answer(self, item: Sealed, user: Holder) -> FieldArray:
        """What a user declares: a corrupt one its noisy vector, an honest one its part."""
        if user.name in self.corrupt:
            return super().answer(item, user)
        holds_output = bool(self.output) and user.name == self.output_holder
        return declared(self.output if holds_output else [0] * self.items, self.field, user)


@attrs.frozen
class DPDGSimulator:
    """The simulator of DPDG with these parameters."""

    protocol: DPDG

    def leaked(
        self, items: Sequence[Sealed], users: Sequence[Holder], corrupt: Collection[str]
    ) -> tuple[int, ...]:
        """What the simulator is given: of the server, its output; of users, nothing."""
        return output_of_server(self.protocol, items, users, corrupt)

    def simulated(self, corrupt: Collection[str], leaked: tuple[int, ...]) -> SimulatedDPDG:
        """DPDG with honest users who act on the output alone."""
        return SimulatedDPDG(
            **attrs.asdict(self.protocol, recurse=False),
            corrupt=frozenset(corrupt),
            output=leaked,
            output_holder=first_honest(self.protocol, corrupt),
        )
