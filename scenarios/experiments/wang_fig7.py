"""Fig. 7 of Wang et al.: errors by the number of users."""

from scenarios.wang.growth import experiment
from simnet.studies.statements import falls

EXPERIMENT = experiment(
    "Means and frequencies of more and more users",
    "Wang et al., Fig. 7",
    "users",
    (10_000, 20_000, 40_000, 80_000, 160_000),
    (10_000, 40_000),
    ("more users make smaller errors", falls),
)
