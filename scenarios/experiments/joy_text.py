"""Numbers and formulas in the text of Joy and Gerla, evaluated."""

from scenarios.joy.figures import SAMPLINGS
from scenarios.joy.statements import BY_NAME, STATEMENTS, evaluate
from simnet.studies.experiment import Experiment
from simnet.studies.table import Measure

EXPERIMENT = Experiment(
    summary="Numbers and formulas of the text of Sampling Privacy",
    source="Joy and Gerla, sections 1 to 6",
    trial=evaluate,
    grid=[{"statement": list(BY_NAME), "zero": [0.3], "sampling": list(SAMPLINGS[:1])}],
    measures=[Measure("value", "what is right")],
    choices=(
        "formulas are evaluated with π_0 = 0.3 and π_s = 0.45: --set zero=..., --set sampling=...",
    ),
    quotes=[one.quote() for one in STATEMENTS],
    cost=lambda _: 0.001,
)
