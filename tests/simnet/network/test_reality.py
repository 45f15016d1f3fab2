"""Runs and networks that cannot be played on sockets are refused, before anything is measured."""

import attrs
import pytest

from protocols.dpds.script import DPDS
from simnet import BadInput, Latency, Party, Seat, Tag, network_named, run
from simnet.bench.reality import hold
from simnet.network.network import Network
from simnet.network.recorded import RecordedRun, recorded

ROUNDS = network_named("rounds")


class Waits:
    """A server that waits for u1 with a deadline of one second."""

    def parties(self) -> dict[str, Seat]:
        return {"u1": Seat(self.user), "server": Seat(self.server)}

    async def user(self, me: Party) -> None: ...

    async def server(self, me: Party) -> None:
        await me.gather_some(Tag("note"), ["u1"], at_least=0, within=1.0)


def log_of_dpds() -> RecordedRun:
    return recorded(run(DPDS(users=3, items=2, participation=1.0), [1, 2, 1]))


def test_a_run_with_deadlines_is_refused() -> None:
    with pytest.raises(BadInput, match="stop waiting"):
        hold("waits", recorded(run(Waits(), network="rounds")), ROUNDS)


def test_messages_that_come_late_are_refused() -> None:
    log = attrs.evolve(log_of_dpds(), delays={(0, 1): 2.0})
    with pytest.raises(BadInput, match="come late"):
        hold("late", log, ROUNDS)


@pytest.mark.parametrize(
    "network",
    [
        attrs.evolve(ROUNDS, relay="server"),
        attrs.evolve(
            ROUNDS, latencies={**ROUNDS.latencies, ("client", "client"): Latency(1.0, jitter=0.1)}
        ),
    ],
    ids=["relay", "jitter"],
)
def test_a_network_that_the_hub_does_not_play_is_refused(network: Network) -> None:
    with pytest.raises(BadInput, match="relay, jitter or lost packets"):
        hold("dpds", log_of_dpds(), network)
