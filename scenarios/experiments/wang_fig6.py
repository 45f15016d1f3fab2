"""Fig. 6 of Wang et al.: means of 16 synthetic numbers of a uniform and of a power law."""

from scenarios.wang.synthetic import experiment

EXPERIMENT = experiment(
    "Means of 16 numbers of a uniform and of a power law",
    "Wang et al., Fig. 6",
    ("uniform", "power law"),
)
