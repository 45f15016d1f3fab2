"""Fig. 9 of Wang et al.: logistic regression."""

from scenarios.wang.learning import OURS_BELOW_DUCHI, below, experiment

EXPERIMENT = experiment(
    "Logistic regression by LDP-SGD",
    "Wang et al., Fig. 9",
    "logistic",
    "misclassification rate",
    [
        *OURS_BELOW_DUCHI,
        below(("pm", "hm", "duchi"), "laplace", "PM, HM and Duchi et al. err less than Laplace"),
    ],
)
