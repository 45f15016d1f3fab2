"""Table II of Yang et al.: the weights of four groups of users, and the errors."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from scenarios.yang.trials import METHODS, RUNS, SETTINGS, groups, groups_cost
from simnet.studies.experiment import Experiment
from simnet.studies.quote import STATED, Counterpart, Quote
from simnet.studies.statements import everywhere, exact
from simnet.studies.table import NoSuchPoint, Table
from simnet.studies.trial import SQUARED_L2

SOURCE = "Yang et al., section 4.2.4, Table II"
WEIGHTS = {
    "s1": ("0.0316", "0.1477", "0.3045", "0.5162"),
    "s2": ("0.0333", "0.0333", "0.3885", "0.5448"),
    "s3": ("0.0517", "0.0517", "0.0517", "0.8449"),
    "s4": ("0.0259", "0.3017", "0.2495", "0.4229"),
}  # as printed; the paper says that they are the same for both laws of the data
ERRORS = {
    ("uniform", "vwa"): {"s1": "1.124e-3", "s2": "1.253e-3", "s3": "9.52e-4", "s4": "9.61e-4"},
    ("uniform", "uwa"): {"s1": "3.757e-3", "s2": "4.885e-3", "s3": "7.999e-3", "s4": "3.233e-3"},
    ("normal", "vwa"): {"s1": "4.96e-3", "s2": "6.26e-3", "s3": "8.66e-3", "s4": "4.02e-3"},
    ("normal", "uwa"): {"s1": "5.72e-3", "s2": "6.51e-3", "s3": "1.4e-2", "s4": "4.17e-3"},
}
BUDGETS = {name: budgets for budgets, name in SETTINGS.items()}
SUMMED = (
    "The number is the squared L2 error of the noise, which is the sum over the items and "
    "not the mean."
)
WHY = {
    "uniform": "The expected squared L2 error is another one: 1 / Σ n_j/V_j with the weights, and "
    "Σ n_j V_j / n² without them.",
    "normal": "The error of sampling does not depend on what users hold (Lemma 3.1), so it is "
    "expected to be that of uniform data.",
}
# The rows whose verdict changes if the error also contains that of drawing the people:
# tests/scenarios/yang/test_experiments.py draws such errors.
TURNED_BY_DRAWING = {
    *(("uniform", "vwa", setting) for setting in ("s1", "s2", "s4")),
    *(
        (population, "uwa", setting)
        for population in ("uniform", "normal")
        for setting in ("s2", "s4")
    ),
}
DRAWING = (
    "The text does not say whether its error is that of the noise alone, as ours is, or whether it "
    "also contains the error that comes from drawing the people at random"
)
THEN = {
    "uniform": ". With this error, the printed number is too small.",
    "normal": " from the normal law. With this error, the printed number may well be right.",
}
FAILS_ANYWAY = {
    "uniform": (
        " With the error that comes from drawing the people at random, the expected error would "
        "be larger still, and the printed number would be too small, too."
    ),
    "normal": (
        " With the error that comes from drawing the people at random from the normal law, which "
        "adds at most 1/250 of the sum of the squared weights, the printed number would be too "
        "large, too."
    ),
}
ITEMS = 30
ROUNDING = 1e-9  # the relative difference that two sums of the same numbers may have


def weight(setting: str, place: int) -> Quote:
    """The quote of a printed weight; `place` is the number of the group, from 1.

    The table prints one weight for OWA and VWA and for both laws of the data. Of the weights that
    we compute for these cases (quick runs leave out OWA), the one furthest from the printed weight
    is compared, and the row names the cases.
    """
    printed = WEIGHTS[setting][place - 1]

    def reading(table: Table) -> Counterpart:
        rows = [
            row
            for row in table.where(budgets=BUDGETS[setting]).rows
            if row["method"] in ("vwa", "owa")
        ]
        weights = [row[f"w{place}"] for row in rows]
        if not weights:
            raise NoSuchPoint("no weights of OWA or VWA were computed")
        found = exact(max(weights, key=lambda one: abs(one - float(printed))))
        return attrs.evolve(found, judged_at=_cases(rows))

    what = (
        f"weight of group {place}, {setting} ({BUDGETS[setting]}), printed for OWA and VWA and for "
        "both laws of the data"
    )
    return Quote(SOURCE, what, printed, reading)


def _cases(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the methods and the laws of the data for which weights were computed, as text.

    >>> _cases([{"method": "vwa", "population": law} for law in ("uniform", "normal")])
    'VWA; uniform and normal data'
    """
    methods = dict.fromkeys(row["method"].upper() for row in rows)
    laws = dict.fromkeys(row["population"] for row in rows)
    return f"{' and '.join(methods)}; {' and '.join(laws)} data"


def same_weights(table: Table) -> Counterpart:
    """Return the share of settings and methods in which both laws of the data get equal weights."""
    found: dict[tuple[str, str], dict[str, set[tuple[float, ...]]]] = {}
    for row in table.rows:
        if row["method"] in ("vwa", "owa"):
            weights = tuple(row[f"w{place}"] for place in range(1, 5))
            by_law = found.setdefault((row["budgets"], row["method"]), {})
            by_law.setdefault(row["population"], set()).add(weights)
    both = {key: list(laws.values()) for key, laws in found.items() if len(laws) > 1}
    if not both:
        raise NoSuchPoint("weights for two laws of the data are needed")
    settings = ", ".join(dict.fromkeys(SETTINGS.get(budgets, budgets) for budgets, _ in both))
    methods = ", ".join(dict.fromkeys(method.upper() for _, method in both))
    share = exact(sum(laws.count(laws[0]) == len(laws) for laws in both.values()) / len(both))
    return attrs.evolve(share, judged_at=f"{settings}; {methods}")


def error(population: str, method: str, setting: str) -> Quote:
    """The quote of a printed error. It is read as the mean over the items, as the metric is
    defined, and then as the sum over the items.
    """
    at = {"population": population, "budgets": BUDGETS[setting], "method": method}

    def summed(table: Table) -> Counterpart:
        return Counterpart.of(table.at("squared_l2", **at), RUNS)

    def mean(table: Table) -> Counterpart:
        return Counterpart.of(table.at("squared_l2", **at).scaled(1 / ITEMS), RUNS)

    turned = (population, method, setting) in TURNED_BY_DRAWING
    what = f"MSE with {'VWA' if method == 'vwa' else METHODS[method]}, {population} data, {setting}"
    return Quote(
        SOURCE,
        what,
        ERRORS[population, method][setting],
        mean,
        correction=SUMMED,
        corrected=summed,
        why=WHY[population] + ("" if turned else FAILS_ANYWAY[population]),
        disputed=DRAWING + THEN[population] if turned else "",
    )


def quotes() -> Iterator[Quote]:
    """The quotes of the table."""
    for setting in BUDGETS:
        yield from (weight(setting, place) for place in range(1, 5))
    yield Quote(
        SOURCE,
        "the assigned weights are the same for uniform and normal data",
        STATED,
        same_weights,
    )
    yield everywhere(
        SOURCE,
        "the error on normal data is larger than on uniform data",
        "squared_l2",
        "population",
        ["budgets", "method"],
        lambda errors: errors["uniform"] * (1 + ROUNDING) < errors["normal"],
        why=WHY["normal"],
        points="settings and data are the paper's",
        disputed="The sentence describes the table's own numbers, which runs gave, and is true of "
        "them.",
    )
    for population, method in ERRORS:
        yield from (error(population, method, setting) for setting in BUDGETS)


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
    quick={"method": ["vwa", "uwa"]},
    quick_trials=2,
    choices=(
        "There are four groups of 250 users and 30 items, as in the paper. With budget ε, DPDS "
        "samples with p = 1 - exp(-ε).",
        (
            "With normal data, each user draws a standard normal number that is truncated to "
            "-4..4. This range is divided into 30 equal intervals, and the user's item is the "
            "interval of its number."
        ),
        "The error is that of the noise alone. Therefore the estimate is compared with a "
        "weighted mean of the groups' true frequencies, and this mean has the weights of the "
        "estimate.",
    ),
    quotes=list(quotes()),
    cost=groups_cost,
)
