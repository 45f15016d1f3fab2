"""What most trials do: run a protocol on some users, and take the errors of its estimate."""

from simnet.contract import Protocol
from simnet.kernel.run import run
from simnet.scenario.population import Population
from simnet.stated.about import About
from simnet.studies.table import Measure

SQUARED_L2 = Measure(
    "squared_l2", "squared L2 error", "expected_squared_l2", "deviation_squared_l2"
)


def errors(
    protocol: Protocol, about: About, people: Population, seed: int
) -> dict[str, float | str]:
    """Return a run's squared L2 error with its exact mean and standard deviation, and its costs.

    Raises `ValueError` if `about` does not say how an estimate is assessed.
    """
    if about.assess is None:
        raise ValueError(f"nothing says how good an estimate of {about.name} is")
    done = run(
        protocol, people.inputs, seed, threads=1
    )  # one thread: the trials share the processors, and a run needs only one
    assessed = about.assess(done, people.totals)
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
