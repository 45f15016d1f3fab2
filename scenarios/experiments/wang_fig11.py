"""Fig. 11 of Wang et al.: linear regression."""

from scenarios.wang.learning import OURS_BELOW_DUCHI, below, experiment

EXPERIMENT = experiment(
    "Linear regression by LDP-SGD",
    "Wang et al., Fig. 11",
    "squared",
    "mean squared error",
    [
        *OURS_BELOW_DUCHI,
        below(("pm", "hm", "duchi"), "laplace", "PM, HM and Duchi et al. err less than Laplace"),
    ],
)
