"""The simulator of DPDS's security proof.

If users are corrupt, the simulator is given nothing, and lets honest users share zeros instead of
their responses. If the server alone is corrupt, the simulator is given the server's output, and
lets the first user share the whole output and all other users zeros. Coalitions of the server and
users are refused.
"""

from collections.abc import Collection, Sequence

import attrs

from protocols.dpds.script import DPDS
from protocols.sharing.simulators import declared, first_honest, output_of_server
from simnet.contract import Holder
from simnet.values.field import FieldArray
from simnet.values.sealed import Sealed


@attrs.frozen(kw_only=True)
class SimulatedDPDS(DPDS):
    """DPDS as the simulator plays it with the coalition."""

    corrupt: frozenset[str]
    output: tuple[int, ...]  # the counts that the server must receive; empty if it is honest
    output_holder: str  # the honest user who shares these counts

    def answer(self, item: Sealed, user: Holder) -> FieldArray:
        """Return what a user declares as its secret.

        A corrupt user declares its true response; an honest user declares zeros or the output.
        """
        if user.name in self.corrupt:
            return super().answer(item, user)
        holds_output = bool(self.output) and user.name == self.output_holder
        return declared(self.output if holds_output else [0] * self.items, self.field, user)


@attrs.frozen
class DPDSSimulator:
    """The simulator of DPDS with these parameters."""

    protocol: DPDS

    def leaked(
        self, items: Sequence[Sealed], users: Sequence[Holder], corrupt: Collection[str]
    ) -> tuple[int, ...]:
        """Return what the simulator is given: the output of a corrupt server, else nothing.

        Raises `ValueError` for a coalition of the server and other parties.
        """
        return output_of_server(self.protocol, items, users, corrupt)

    def simulated(self, corrupt: Collection[str], leaked: tuple[int, ...]) -> SimulatedDPDS:
        """Return DPDS with honest users who share zeros or `leaked` in place of their responses."""
        return SimulatedDPDS(
            **attrs.asdict(self.protocol, recurse=False),
            corrupt=frozenset(corrupt),
            output=leaked,
            output_holder=first_honest(self.protocol, corrupt),
        )
