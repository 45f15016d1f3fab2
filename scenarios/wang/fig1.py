"""Fig. 1 of Wang et al.: worst variances of mechanisms for one value."""

from scenarios.wang.one_value import MECHANISMS, WORDS, worst_case
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment
from simnet.studies.quote import Counterpart, Quote
from simnet.studies.readings import crossing_of
from simnet.studies.statements import MeasureByAxis, Statement, everywhere, exact
from simnet.studies.table import Measure, Table

EPSILONS = (
    0.25,
    0.5,
    0.75,
    1.0,
    1.2,
    1.4,
    1.6,
    1.8,
    2.0,
    2.5,
    3.0,
    3.5,
    4.0,
    4.5,
    5.0,
    5.5,
    6.0,
    6.5,
    7.0,
    7.5,
    8.0,
)


def crossing(value: float) -> float:
    """The ε at which PM and Duchi et al.'s mechanism have the same variance on a value."""
    from scipy.optimize import brentq  # imported only here: scipy loads slowly

    def gap(epsilon: float) -> float:
        return float(
            MECHANISMS["pm"](epsilon).variance(value) - MECHANISMS["duchi"](epsilon).worst_variance
        )

    return float(brentq(gap, 0.1, 4.0, xtol=1e-13))


def crossed(table: Table) -> Counterpart:
    """Return the ε where the worst variances of PM and Duchi et al.'s mechanism cross: computed and
    measured.
    """
    lines = [line for line in table.summary() if line["value"] == "worst"]
    duchi, pm = (
        {line["epsilon"]: line for line in lines if line["mechanism"] == name}
        for name in ("duchi", "pm")
    )
    return crossing_of(duchi, pm, crossing(1.0))


def larger_below_sharp(numbers: MeasureByAxis) -> bool:
    """Whether PM has the larger worst variance at every ε below ε#.

    Raises `KeyError` if no ε below ε# was run.
    """
    epsilons = [epsilon for name, epsilon in numbers if name == "pm" and epsilon < crossing(1.0)]
    if not epsilons:
        raise KeyError("no ε below ε#")
    return all(numbers["pm", epsilon] > numbers["duchi", epsilon] for epsilon in epsilons)


def no_worse(ours: str, *rivals: str) -> Statement:
    """Return the statement that one mechanism's worst variance is at most that of each rival."""

    def holds(numbers: MeasureByAxis) -> bool:
        return all(
            numbers[ours] <= numbers[rival] * (1 + 1e-9) for rival in rivals
        )  # up to rounding

    return holds


def below_laplace(numbers: MeasureByAxis) -> bool:
    """Whether Duchi et al.'s mechanism has the smaller worst variance than Laplace's at every ε up
    to 2.
    """
    return all(
        numbers[one] < numbers["laplace", one[1]]
        for one in numbers
        if one[0] == "duchi" and one[1] <= 2
    )


def at_every_epsilon(
    source: str,
    what: str,
    holds: Statement,
    why: str = "",
    correction: str = "",
    instead: Statement | None = None,
) -> Quote:
    """The quote of a statement on the worst variances at each ε."""
    return everywhere(
        f"Wang et al., {source}",
        f"share of the ε at which {what}",
        "variance",
        "mechanism",
        ["epsilon"],
        holds,
        why=why,
        correction=correction,
        instead=instead,
    )


EXPERIMENT = Experiment(
    summary="Worst variances of mechanisms for one value",
    source="Wang et al., Fig. 1",
    trial=worst_case,
    grid=[
        {
            "value": ["worst"],
            "mechanism": list(MECHANISMS),
            "epsilon": list(EPSILONS),
            "reports": [100_000],
        }
    ],
    measures=[Measure("variance", "worst variance", "expected", "deviation")],
    trials=20,
    quick_trials=2,
    choices=(
        "ε from 0.25 to 8: the range is in the figure only",
        (
            "steps of SCDF and Staircase have density a e^{-(j+1)ε}: with Eq. 2 as printed the "
            "mass is not 1"
        ),
    ),
    quotes=[
        Quote(
            "Wang et al., Eq. 6",
            "ε*, up to which HM never uses PM: where PM and Duchi et al. vary alike on 0",
            "0.61",
            lambda _: exact(crossing(0.0)),
        ),
        Quote(
            "Wang et al., Table I",
            "ε#, where PM and Duchi et al. have the same worst variance",
            "1.29",
            crossed,
        ),
        everywhere(
            "Wang et al., section III-B",
            "PM has a larger worst variance than Duchi et al. below ε#, said to be slightly larger "
            "(it is a third more as ε goes to 0)",
            "variance",
            ["mechanism", "epsilon"],
            [],
            larger_below_sharp,
        ),
        everywhere(
            "Wang et al., section III-A",
            "Duchi et al. better than Laplace for ε up to 2",
            "variance",
            ["mechanism", "epsilon"],
            [],
            below_laplace,
        ),
        at_every_epsilon(
            "section III-A", "Duchi et al. varies by more than 1", lambda found: found["duchi"] > 1
        ),
        at_every_epsilon(
            "section III-B",
            "PM has a smaller worst variance than Laplace",
            no_worse("pm", "laplace"),
        ),
        at_every_epsilon(
            "section III-C",
            "HM is no worse than Laplace, Duchi et al. and PM",
            no_worse("hm", "laplace", "duchi", "pm"),
        ),
        at_every_epsilon(
            "abstract",
            "HM is no worse than existing solutions",
            no_worse("hm", "laplace", "duchi", "scdf", "staircase"),
            correction=(
                "if only Laplace and Duchi et al. count; SCDF has the smaller worst variance "
                "from ε = 5.38 to 7.72"
            ),
            instead=no_worse("hm", "laplace", "duchi"),
        ),
    ],
    figure=lambda table: curves(
        table,
        "epsilon",
        panel="value",
        line=["mechanism"],
        words=WORDS.__getitem__,
        titles={"worst": "one value in [-1, 1]"},
        x_label="ε",
        notes=[
            (
                "The variance of a mechanism is that of the value where it is largest. Error "
                "bars: 99.9 % for all points together. Lines: exact."
            )
        ],
    ),
    cost=lambda _: 0.004,
)
