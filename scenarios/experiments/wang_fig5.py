"""Fig. 5 of Wang et al.: means of 16 synthetic numbers of truncated normal laws."""

from scenarios.wang.synthetic import experiment

EXPERIMENT = experiment(
    "Means of 16 numbers of truncated normal laws",
    "Wang et al., Fig. 5",
    ("μ=0", "μ=1/3", "μ=2/3", "μ=1"),
)
