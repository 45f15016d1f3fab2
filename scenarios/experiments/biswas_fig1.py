"""Fig. 1 of Biswas, Cormode and Maple: a binomial histogram, estimated from few and from most
users.
"""

from scenarios.biswas.histogram import experiment
from simnet.studies.quote import Counterpart, Quote
from simnet.studies.readings import counted
from simnet.studies.table import NoSuchPoint, Table

LAW = "binomial"


def size(table: Table) -> Counterpart:
    """How many values were estimated."""
    found = table.where(law=LAW).rows
    if not found:
        raise NoSuchPoint(f"nothing was run of {LAW}")
    return counted(float(found[0]["values"]))


EXPERIMENT = experiment(
    "A histogram from sampled users",
    "Biswas et al., Fig. 1",
    [LAW],
    [
        Quote(
            "Biswas et al., section 4",
            "size of the domain of Binomial(100, 0.5)",
            "100",
            size,
            correction="the values 0 to 100 are 101",
            instead=lambda _: 100.0 - 0.0 + 1.0,
        )
    ],
)
