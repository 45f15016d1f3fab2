"""Fig. 2 of Biswas, Cormode and Maple: a histogram of two binomials, estimated from few and from
most users.
"""

from scenarios.biswas.histogram import experiment

EXPERIMENT = experiment(
    "A histogram of two binomials from sampled users",
    "Biswas et al., Fig. 2",
    ["sum", "mixture"],
    [],
    [
        (
            '"+" as the sum of two independent numbers, and as a mixture in equal parts: the '
            "text does not say which"
        )
    ],
)
