"""Fig. 10 of Wang et al.: support vector machines."""

from scenarios.wang.learning import OURS_BELOW_DUCHI, below, experiment

EXPERIMENT = experiment(
    "Support vector machines by LDP-SGD",
    "Wang et al., Fig. 10",
    "hinge",
    "misclassification rate",
    [
        *OURS_BELOW_DUCHI,
        below(("pm", "hm", "duchi"), "laplace", "PM, HM and Duchi et al. err less than Laplace"),
    ],
)
