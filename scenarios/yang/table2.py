"""Table II of Yang et al.: weights and errors of weighted aggregation."""

from collections.abc import Iterator
from functools import partial
from math import erf, sqrt

import numpy as np

from protocols.weighted.weights import error, weights
from scenarios.yang.laws import budgets_of, variances
from scenarios.yang.people import NORMAL_RANGE
from scenarios.yang.trials import METHODS, RUNS, SETTINGS, groups, groups_cost
from simnet.studies.experiment import Experiment
from simnet.studies.paper_claim import Counterpart, PaperClaim
from simnet.studies.table import Table
from simnet.studies.trial import SQUARED_L2

SOURCE = "section 4.2.4, Table II"
# The weights of the four groups, printed for OWA and VWA and for both laws of the data.
WEIGHTS = {
    "s1": ("0.0316", "0.1477", "0.3045", "0.5162"),
    "s2": ("0.0333", "0.0333", "0.3885", "0.5448"),
    "s3": ("0.0517", "0.0517", "0.0517", "0.8449"),
    "s4": ("0.0259", "0.3017", "0.2495", "0.4229"),
}
ERRORS = {
    ("uniform", "vwa"): ("1.124e-3", "1.253e-3", "9.52e-4", "9.61e-4"),
    ("uniform", "uwa"): ("3.757e-3", "4.885e-3", "7.999e-3", "3.233e-3"),
    ("normal", "vwa"): ("4.96e-3", "6.26e-3", "8.66e-3", "4.02e-3"),
    ("normal", "uwa"): ("5.72e-3", "6.51e-3", "1.4e-2", "4.17e-3"),
}
BUDGETS = {name: budgets for budgets, name in SETTINGS.items()}
SIZES = [250] * 4
ITEMS = 30
DATA_FREE = "By Lemma 3.1 the error of sampling does not depend on what users hold."
DRAWN = "It holds if the error also contains that of drawing the people from the normal law."
STILL = "With the error of drawing the people it would still be too large."
CHECK = "by hand: 1 / Σ n_j/V_j with the weights, Σ n_j V_j / n² without, V_j = 1/(e^ε_j - 1)"


def weights_of(method: str, setting: str) -> list[float]:
    """Return the weights of the four groups in a setting."""
    spread = variances(budgets_of(BUDGETS[setting]))
    return [float(one) for one in weights("vwa" if method == "vwa" else "owa", SIZES, spread)]


def farthest_weight(setting: str, place: int) -> float:
    """Return the weight of VWA or OWA that is farther from the printed one."""
    printed = float(WEIGHTS[setting][place])
    found = (weights_of(method, setting)[place] for method in ("vwa", "owa"))
    return max(found, key=lambda one: abs(one - printed))


def law(method: str, setting: str, drawn: bool = False) -> float:
    """Return the expected squared L2 error of the noise; `drawn` adds that of drawing people from
    the normal law, for equal weights.
    """
    spread = variances(budgets_of(BUDGETS[setting]))
    made = weights("vwa" if method == "vwa" else "uwa", SIZES, spread)
    shares = np.asarray(made) / sum(made) / SIZES[0]
    edges = [erf((2 * k / ITEMS - 1) * NORMAL_RANGE / sqrt(2)) for k in range(ITEMS + 1)]
    law_of_items = np.diff(edges) / (edges[-1] - edges[0])
    people = float(SIZES[0] * (shares**2).sum() * (1 - (law_of_items**2).sum()))
    return error(made, SIZES, spread) + (people if drawn else 0)


def read(table: Table, population: str, method: str, setting: str) -> Counterpart:
    """Return the error that our runs measured, and the expected one."""
    at = {"population": population, "budgets": BUDGETS[setting], "method": method}
    return Counterpart.of(table.at("squared_l2", **at, target="distribution"), RUNS)


def claims() -> Iterator[PaperClaim]:
    """Yield the claims on the table."""
    for setting, printed in WEIGHTS.items():
        for place, weight in enumerate(printed):
            yield PaperClaim(
                f"Table II, {setting}, weight {place + 1}",
                SOURCE,
                f"Weight of group {place + 1} of {BUDGETS[setting]}, OWA and VWA",
                weight,
                partial(farthest_weight, setting, place),
            )
    yield PaperClaim(
        "Table II, same weights",
        SOURCE,
        "The assigned weights are the same for uniform and normal data",
        law=lambda: 1.0,
        why="Weights depend on budgets and sizes alone (Eq. 4).",
    )
    yield PaperClaim(
        "Table II, normal data",
        SOURCE,
        "The error on normal data is larger than on uniform data",
        law=lambda: 0.0,
        why=DATA_FREE,
        check="by hand: (1 - p)/(p n) of Lemma 3.1 has no data in it",
        top="Table II: the errors on normal data are not larger; by Lemma 3.1 data play no part.",
    )
    yield PaperClaim(
        "Table II, MSE",
        "section 4.1.2",
        "The errors of Table II, Fig. 1 and Fig. 2 are means over the items",
        "1",
        lambda: float(ITEMS),
        correction="They are sums over the items: the mean is a thirtieth of each (a twelfth in "
        "Gowalla).",
        instead=lambda: float(ITEMS),
        why="The printed number stands for the divisor. Read as sums, seven of the eight errors on "
        "uniform data are right.",
        check="by hand: Lemma 3.1 gives the sum, (1 - p)/(p n)",
        top="Table II and Fig. 1, 2: what is called a mean over the items is the sum.",
    )
    for (population, method), errors in ERRORS.items():
        for setting, text in zip(WEIGHTS, errors, strict=True):
            turned = population == "normal" and method == "uwa" and setting in ("s2", "s4")
            normal = population == "normal"
            yield PaperClaim(
                f"Table II, {population}, {method.upper()}, {setting}",
                SOURCE,
                f"Error with {'VWA' if method == 'vwa' else METHODS[method]}, {population} data, "
                f"{setting}; the sum over the items, of the noise alone",
                text,
                runs=partial(read, population=population, method=method, setting=setting),
                condition=DRAWN if turned else "",
                under=partial(law, method, setting, drawn=True) if turned else None,
                why=f"{DATA_FREE} {STILL}" if normal and not turned else "",
                check=CHECK,
                top="Table II: the error of VWA in s3 on uniform data."
                if (population, method, setting) == ("uniform", "vwa", "s3")
                else "",
            )


EXPERIMENT = Experiment(
    summary="Weights and errors of weighted aggregation",
    source="Yang et al., Table II",
    trial=groups,
    grid=[
        {
            "population": ["uniform", "normal"],
            "protocol": ["dpds"],
            "users": [1000],
            "budgets": list(SETTINGS),
            "method": ["vwa", "owa", "uwa", "cpa"],
            "target": ["distribution"],
        }
    ],
    measures=[SQUARED_L2],
    trials=RUNS,
    quick={"population": ["uniform"], "method": ["vwa", "uwa"]},
    choices=(
        "There are four groups of 250 users and 30 items, as in the paper. With budget ε, DPDS "
        "samples with p = 1 - exp(-ε).",
        "With normal data, each user draws a standard normal number that is truncated to -4..4. "
        "This range is divided into 30 equal intervals, and the user's item is the interval of its "
        "number.",
        "The error is that of the noise alone. Therefore the estimate is compared with a weighted "
        "mean of the groups' true frequencies, and this mean has the weights of the estimate.",
    ),
    claims=list(claims()),
    cost=groups_cost,
)
