"""What Fig. 1 and Fig. 2 of Biswas, Cormode and Maple have in common."""

from collections.abc import Sequence

from scenarios.biswas.drawing import histograms
from scenarios.biswas.people import CHOICES, USERS
from scenarios.biswas.trials import NORMALISED, RAW, SQUARED, collected
from simnet.studies.experiment import Experiment
from simnet.studies.quote import Quote
from simnet.studies.statements import everywhere, falls


def experiment(
    summary: str,
    source: str,
    laws: Sequence[str],
    quotes: Sequence[Quote],
    choices: Sequence[str] = (),
) -> Experiment:
    """The experiment on data of these laws."""
    return Experiment(
        summary=summary,
        source=source,
        trial=collected,
        grid=[
            {
                "law": list(laws),
                "users": [USERS],
                "estimator": ["centred"],
                "sampling": [0.1, 0.9],
                "epsilon": [1.0, 2.0, 4.0, 6.0],
                "histogram": [True],
            },
        ],
        measures=[SQUARED, RAW, NORMALISED],
        trials=20,
        quick_trials=3,
        choices=(*CHOICES, *choices),
        quotes=[
            *quotes,
            everywhere(
                "Biswas et al., section 4",
                "share of the ε at which g is closer to the data for π = 0.9 than for 0.1",
                "squared_l2",
                "sampling",
                ["law", "epsilon"],
                falls,
            ),
        ],
        figure=histograms,
        cost=lambda _: 0.004,
    )
