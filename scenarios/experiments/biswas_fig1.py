"""Fig. 1 of Biswas, Cormode and Maple: a binomial histogram, estimated from few and from most users."""

from scenarios.biswas.histogram import experiment
from scenarios.biswas.people import LAWS
from simnet.study.quote import Quote
from simnet.study.statements import exact

LAW = "binomial"

EXPERIMENT = experiment(
    "A histogram from sampled users", "Biswas et al., Fig. 1", [LAW],
    [
        Quote(
            "Biswas et al., section 4", "size of the domain of Binomial(100, 0.5)", "100",
            lambda _: exact(len(LAWS[LAW]())), correction="the values 0 to 100 are 101",
            instead=lambda _: float(len(LAWS[LAW]())),
        )
    ],
)  # fmt: skip
