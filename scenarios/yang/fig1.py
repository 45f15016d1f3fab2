"""Fig. 1 of Yang et al.: DPDS beside DPDG for several ε and δ, among a thousand users."""

from math import expm1, log, sqrt

from protocols.privacy.gaussian import sigma
from scenarios.yang.people import CHOICES, CHOICES_IN_SHORT, DATA, FILES, titles
from scenarios.yang.trials import EPSILONS, RUNS, items_of, sampling, sharing_cost
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment
from simnet.studies.quote import Counterpart, Quote
from simnet.studies.readings import crossing_of, quotient
from simnet.studies.table import Table
from simnet.studies.trial import SQUARED_L2

USERS, WEAK = 1000, 0.5  # WEAK is the largest δ that is drawn
BELOW = (0.02, 0.05)  # values of ε below the paper's, to show where the curves cross
SOURCE = "Yang et al., section 4.2.1"
GOWALLA = {"population": "gowalla", "users": USERS}


def error(table: Table, divided: bool) -> Counterpart:
    """Return the error of DPDS on Gowalla at ε = 0.1: the sum over the items, or with `divided` the
    mean.
    """
    found = table.at("squared_l2", **GOWALLA, protocol="dpds", epsilon=0.1)
    return Counterpart.of(found.scaled(1 / items_of("gowalla") if divided else 1.0), RUNS)


def improvement(table: Table) -> Counterpart:
    """Return by which share DPDS errs less than DPDG with δ = 1e-7, on Gowalla at ε = 0.1."""
    ours = table.at("squared_l2", **GOWALLA, protocol="dpds", epsilon=0.1)
    other = table.at("squared_l2", **GOWALLA, protocol="dpdg", epsilon=0.1, delta=1e-7)
    left = quotient(ours, other, RUNS)
    spread = left.spread * left.law / (1 - left.law)
    return Counterpart(
        1 - left.law, 1 - (left.measured or 0), 1 - (left.high or 0), 1 - (left.low or 0), spread
    )


def crossing() -> float:
    """The ε at which DPDS and DPDG with δ = 0.5 have the same expected error on Gowalla."""
    from scipy.optimize import brentq  # imported only here: scipy loads slowly

    def gap(epsilon: float) -> float:
        gaussian = items_of("gowalla") * sigma("classic", sqrt(2) / USERS, epsilon, WEAK) ** 2
        return log(gaussian) + log(USERS * expm1(epsilon))

    return float(brentq(gap, 1e-6, 1.0))


def crossed(table: Table) -> Counterpart:
    """Return the ε where the two curves cross, as computed and as measured."""
    lines = [
        line
        for line in table.summary()
        if all(line[name] == value for name, value in GOWALLA.items())
    ]
    ours, other = (
        {line["epsilon"]: line for line in lines if line.get("delta") == delta}
        for delta in (None, WEAK)
    )
    return crossing_of(ours, other, crossing())


EXPERIMENT = Experiment(
    summary="DPDS beside DPDG for several ε and δ",
    source="Yang et al., Fig. 1",
    trial=sampling,
    grid=[
        {
            "population": ["gowalla", "census", "synthetic"],
            "protocol": ["dpds"],
            "users": [USERS],
            "epsilon": [*BELOW, *EPSILONS],
        },
        {
            "population": ["gowalla", "census", "synthetic"],
            "protocol": ["dpdg"],
            "users": [USERS],
            "epsilon": [*BELOW, *EPSILONS],
            "delta": [1e-7, 1e-5, WEAK],
            "calibration": ["classic"],
        },
    ],
    measures=[SQUARED_L2],
    trials=RUNS,
    quick={"population": ["gowalla"], "epsilon": [0.02, 0.1, 0.5, 1.0], "delta": [1e-7, WEAK]},
    quick_trials=8,
    files=FILES,
    data=DATA,
    choices=(
        *CHOICES,
        ("DPDS samples with p = 1 - exp(-ε); simnet privacy claims says which δ this gives"),
        (
            "DPDG with δ of 1e-7, 1e-5 and 0.5, the classic calibration, and the corrected "
            "noise share"
        ),
        "ε = 0.02 and 0.05 besides the paper's, to show where the curves cross",
    ),
    quotes=[
        Quote(
            SOURCE,
            "MSE of DPDS, Gowalla, ε=0.1",
            "0.01",
            lambda table: error(table, divided=True),
            correction="it is the squared L2 error, the sum over items, not the mean over them",
            corrected=lambda table: error(table, divided=False),
        ),
        Quote(
            SOURCE,
            "share by which DPDS errs less than DPDG with δ=1e-7, Gowalla, ε=0.1",
            "0.90",
            improvement,
            bound="at least",
            why="the formulas of the paper give less",
        ),
        Quote(
            SOURCE,
            "ε up to which DPDS errs less than DPDG with δ=0.5, Gowalla",
            "0.6",
            crossed,
            why=(
                "the squared L2 errors cross at a far smaller ε; if one item's error of DPDG is"
                " compared with the error of all items of DPDS, as in section 3.1.2, they cross"
                " at a smaller ε still"
            ),
        ),
    ],
    figure=lambda table: curves(
        table,
        "epsilon",
        panel="population",
        line=["protocol", "delta"],
        words=lambda protocol, delta: (
            protocol.upper() + ("" if delta is None else f", δ={delta:g}")
        ),
        titles=titles(table),
        x_label="ε",
        notes=CHOICES_IN_SHORT,
        log_x=True,
    ),
    cost=sharing_cost,
)
