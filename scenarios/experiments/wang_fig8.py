"""Fig. 8 of Wang et al.: errors by the number of attributes."""

from scenarios.wang.growth import experiment
from simnet.studies.statements import rises

EXPERIMENT = experiment(
    "Means and frequencies of more and more attributes",
    "Wang et al., Fig. 8",
    "attributes",
    (4, 7, 10, 13, 16),
    (4, 16),
    ("more attributes make larger errors", rises),
)
