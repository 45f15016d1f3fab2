"""The simulator of the security proofs of TSS and TSS′.

For a coalition without S2, the simulator is given nothing: it makes honest users declare
zeros and draw reporting sets of their own. For S2 alone, the simulator is given the output and the
reporting sets, which are disclosed to S1. Other coalitions with S2 are refused.

In the simulation for S2 each honest user reports on its given set, and the first user who reports
on an item declares the item's whole count. With adaptive reporting sets only the simulation for S2
has the law of the real view: in all others honest users draw uniform sets.
"""

from collections.abc import Collection, Sequence

import attrs
import numpy as np

from protocols.sharing.simulators import declared, is_alone
from protocols.tss.prime import TSSPrime
from protocols.tss.script import TSS
from simnet.arrays import Ints
from simnet.contract import Holder
from simnet.values.field import FieldArray
from simnet.values.sealed import Sealed

Rows = tuple[tuple[int, ...], ...]
# ((counts,), reporting set of each user with items from 0), or two empty tuples
Leakage = tuple[Rows, Rows]


@attrs.frozen
class HonestUsers:
    """What honest users declare in a simulation, and on which items they report."""

    corrupt: frozenset[str]
    leaked: Leakage

    def answer(self, protocol: TSS, user: Holder) -> tuple[FieldArray, Ints]:
        """Return a user's secret, shape (N,), and the k items that it reports on, from 0."""
        output, sets = self.leaked
        if not sets:
            secret = declared([0] * protocol.items, protocol.field, user)
            return secret, user.disclose(protocol.uniform_set)
        place = list(protocol.parties()).index(user.name)
        (counts,) = output
        first = {
            item for item in sets[place] if all(item not in earlier for earlier in sets[:place])
        }
        values = [count if item in first else 0 for item, count in enumerate(counts)]
        return declared(values, protocol.field, user), np.array(sets[place], dtype=np.int64)


@attrs.frozen(kw_only=True)
class SimulatedTSS(TSS):
    """TSS as the simulator plays it with the coalition."""

    honest: HonestUsers

    def answer(self, item: Sealed, user: Holder) -> tuple[FieldArray, Ints]:
        """Return what a user declares and reports on; a corrupt user follows the protocol."""
        if user.name in self.honest.corrupt:
            return super().answer(item, user)
        return self.honest.answer(self, user)


@attrs.frozen(kw_only=True)
class SimulatedTSSPrime(TSSPrime):
    """TSS′ as the simulator plays it with the coalition."""

    honest: HonestUsers

    def answer(self, item: Sealed, user: Holder) -> tuple[FieldArray, Ints]:
        """Return what a user declares and reports on; a corrupt user follows the protocol."""
        if user.name in self.honest.corrupt:
            return super().answer(item, user)
        return self.honest.answer(self, user)


@attrs.frozen
class TSSSimulator:
    """The simulator of TSS, or of TSS′, with these parameters."""

    protocol: TSS

    def leaked(
        self, items: Sequence[Sealed], users: Sequence[Holder], corrupt: Collection[str]
    ) -> Leakage:
        """Return what the simulator is given: the output of a corrupt S2 and all reporting sets.

        For a coalition without S2 it is given nothing. Raises `ValueError` for a coalition of S2
        and other parties.
        """
        if not is_alone("S2", corrupt):
            return (), ()
        protocol = self.protocol
        answers = [protocol.answer(item, user) for item, user in zip(items, users, strict=True)]
        counts = np.zeros(protocol.items, dtype=np.int64)
        for answer, chosen in answers:
            counts[chosen] += answer[chosen].numbers()
        return (tuple(counts.tolist()),), tuple(tuple(chosen.tolist()) for _, chosen in answers)

    def simulated(
        self, corrupt: Collection[str], leaked: Leakage
    ) -> SimulatedTSS | SimulatedTSSPrime:
        """Return the protocol with honest users who use `leaked` in place of their inputs."""
        honest = HonestUsers(frozenset(corrupt), leaked)
        parameters = attrs.asdict(self.protocol, recurse=False)
        if isinstance(self.protocol, TSSPrime):
            return SimulatedTSSPrime(**parameters, honest=honest)
        return SimulatedTSS(**parameters, honest=honest)
