"""Which deadlines of a run pass, on one network: see `simnet.kernel.deadlines`.

The clock plays the log of the run so far, up to the first waits that end. So each decision takes as
long as timing the run so far. Let t be the time at which the first wait ends. What a party sends
from then on comes, at the earliest, at t plus the smallest latency between the classes of the
parties. So all waits that end before that time are decided together.

The chances of the network follow from the seed of the run.
"""

from collections.abc import Sequence

import numpy as np

from simnet.errors import BadInput
from simnet.kernel.deadlines import Ended, Open, TooLate
from simnet.network.clock import Clock, OpenWait
from simnet.network.network import Network
from simnet.network.recorded import RecordedRun, so_far
from simnet.record.fate import Late
from simnet.record.log import Log
from simnet.roster import Roster


class OnNetwork:
    """A timekeeper, which decides the deadlines of one run on a network.

    Raises `BadInput` if the network has no class for a role of the run.
    """

    def __init__(
        self, network: Network, roster: Roster, brings_input: Sequence[bool], log: Log, seed: int
    ) -> None:
        self._network = network
        self._roster = roster
        self._brings_input = brings_input
        self._log = log
        self._seed = seed
        used = {
            network.class_of(seat.role, brings)
            for seat, brings in zip(roster.seats, brings_input, strict=True)
        }
        pairs = [(one, other) for one in used for other in used]
        self._lookahead = min(network.latency(*pair).seconds for pair in pairs)

    def decide(self, waits: Sequence[Open]) -> list[Ended]:
        """Return the waits that end next.

        Raises `BadInput` if a latency between the classes of the run's parties is 0, also that of
        a class with itself, if the network's relay is no party of the run, and if a message of a
        crowd would go through the relay.
        """
        if not self._lookahead:
            raise BadInput(
                f"a script waits with a deadline, and the network {self._network.name} has a "
                "latency of 0: deadlines need links on which every message takes some time"
            )
        log, number = self._played()
        open_ = {
            wait.party: OpenWait(
                wait.within,
                {int(number[post]): sender for sender, post in wait.sent.items()},
                len(wait.unsent),
            )
            for wait in waits
        }
        clock = Clock(log, self._network, self._seed, open_)
        clock.play(self._lookahead)
        unsent = {wait.party: wait.unsent for wait in waits}
        return [
            Ended(party, at, tuple(sorted(unsent[party].union(late))))
            for party, (at, late) in clock.ended.items()
        ]

    def late(self, messages: Sequence[TooLate]) -> list[Late]:
        """Return these messages with the seconds by which they were late. The run must be over."""
        if not messages:
            return []
        log, number = self._played()
        clock = Clock(log, self._network, self._seed)
        for each in messages:
            clock.watch(each.recipient, int(number[each.post]))
        clock.play()
        names = self._roster.names
        return [
            Late(
                each.tag,
                names[each.sender],
                names[each.recipient],
                clock.there(each.recipient, int(number[each.post])) - each.due,
            )
            for each in messages
        ]

    def _played(self) -> tuple[RecordedRun, np.ndarray]:
        return so_far(self._roster, self._brings_input, self._log)
