"""A usual trial: it runs a protocol on some users, and measures the error of the estimate."""

from collections.abc import Sequence

from simnet.contract import Protocol
from simnet.kernel.run import run
from simnet.network.timing import timed
from simnet.record.fate import Ending
from simnet.scenario.drops import fates_of
from simnet.scenario.population import Population
from simnet.stated.about import About
from simnet.studies.experiment import network_of
from simnet.studies.table import Measure

SQUARED_L2 = Measure(
    "squared_l2", "squared L2 error", "expected_squared_l2", "deviation_squared_l2"
)


class Aborted(Exception):
    """Raised by a trial whose run was aborted. In place of numbers, the store keeps which parties
    aborted or waited for ever, in which round and why.
    """

    def __init__(self, endings: Sequence[Ending]) -> None:
        """`endings` are the parties that aborted or waited for ever: `Run.aborts`."""
        super().__init__("; ".join(map(str, endings)))
        self.endings = tuple(endings)


def errors(
    protocol: Protocol,
    about: About,
    people: Population,
    seed: int,
    drop: float = 0.0,
    network: str = "",
) -> dict[str, float | str]:
    """Return a run's squared L2 error with its expected value and standard deviation, the mean
    squared error, the number of items, the messages and payload bytes of the run, and where the
    people came from.

    `drop` is the probability that a party drops out, as in `simnet run --drop`. With `network`, the
    value of an experiment's parameter `network`, the result has the `seconds` until the last party
    ends; jitter and losses follow from the seed. Raises `Aborted` if the run is aborted, and
    `ValueError` if `about` does not say how an estimate is assessed.
    """
    if about.assess is None:
        raise ValueError(
            f"the About of {about.name} has no `assess`, which says how exact an estimate is"
        )
    fates, _ = fates_of([str(drop)] if drop else [], protocol, people.inputs, seed)
    done = run(
        protocol, people.inputs, seed, threads=1, fates=fates
    )  # one thread: the trials share the processors, and a run needs only one
    if done.aborts:
        raise Aborted(done.aborts)
    assessed = about.assess(done, people.totals)
    total = done.ledger.total()
    seconds = {"seconds": timed(done, network_of(network), seed).completion} if network else {}
    return {
        **seconds,
        "squared_l2": assessed.squared_l2,
        "expected_squared_l2": assessed.expected_squared_l2,
        "deviation_squared_l2": assessed.deviation_squared_l2,
        "mse": assessed.mse,
        "items": len(people.labels),
        "messages": total.messages,
        "payload_bytes": total.payload_bytes,
        "people": people.source,
    }
