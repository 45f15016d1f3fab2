"""What most trials do: run a protocol on some people, and take the errors of its estimate."""

from typing import Any

from simnet.kernel.run import run
from simnet.scenario.population import Population
from simnet.studies.table import Measure

SQUARED_L2 = Measure(
    "squared_l2", "squared L2 error", "expected_squared_l2", "deviation_squared_l2"
)


def errors(protocol: Any, people: Population, seed: int) -> dict[str, float | str]:
    """A run's squared L2 error with its exact mean and deviation, the mean squared error, and what
    was moved.

    The protocol is one that a scenario may have (it can `assess` a run).
    """
    done = run(
        protocol, people.inputs, seed, threads=1
    )  # trials share the processors, a run needs one
    assessed = protocol.assess(done, people.totals)
    total = done.ledger.total()
    return {
        "squared_l2": assessed.squared_l2,
        "expected_squared_l2": assessed.expected_squared_l2,
        "deviation_squared_l2": assessed.deviation_squared_l2,
        "mse": assessed.mse,
        "items": len(people.labels),
        "messages": total.messages,
        "payload_bytes": total.payload_bytes,
        "people": people.source,
    }
