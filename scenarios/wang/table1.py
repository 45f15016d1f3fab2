"""Table I of Wang et al.: the stated orders of worst variances, checked wherever they are
stated.
"""

from collections.abc import Callable, Mapping
from math import tanh
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from protocols.mechanisms.duchi_multi import DuchiVariant
from protocols.mechanisms.hybrid import EPS_SHARP, EPS_STAR, HM
from protocols.mechanisms.split import SINGLE
from scenarios.theorems.of_wang import AS_PRINTED_ONLY
from scenarios.wang.orders import TABLE_1, check_order, worst_variances
from scenarios.wang.people import CORRECTED
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment, Measurements
from simnet.studies.parameters import typed
from simnet.studies.quote import STATED, Counterpart, Quote
from simnet.studies.statements import exact
from simnet.studies.table import Measure, NoSuchPoint, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ORDERS = {order.setting: order for order in TABLE_1}
SEVERAL = TABLE_1[0].setting
EPSILONS = sorted([*(place / 10 for place in range(1, 301)), EPS_STAR, EPS_SHARP])
MANY, SMALL = 16, 0.5  # the number of attributes and the ε at which Lemma 6 is judged, with k = 1
VARIANTS = {"corrected": "Duchi et al. corrected, ε-LDP", "as-printed": "Duchi et al. as printed"}
FAIR = (
    "the statement holds against Duchi et al.'s mechanism as printed, whose actual ε is ln(1 +"
    " e^ε) for even d; the corrected mechanism, which is ε-LDP, has a smaller variance"
)


@attrs.frozen(kw_only=True)
class OrderPoint:
    """A row of the table (`setting`) for a number of attributes."""

    setting: str
    variant: DuchiVariant
    attributes: int


@typed(OrderPoint)
def kept(point: OrderPoint, seed: int, data: Path | None) -> Measurements:
    """Return at how many values of ε an order holds exactly, and at how many HM beats all
    rivals.
    """
    del seed, data
    checked = check_order(ORDERS[point.setting], [point.attributes], EPSILONS, point.variant)
    numbers: dict[str, float | str] = {
        "tried": checked.tried,
        "kept": checked.kept,
        "share": checked.kept / checked.tried,
    }
    if checked.counterexample is not None:
        numbers["first_failing_epsilon"] = checked.counterexample[1]
    if point.attributes > 1:
        numbers |= outperforming(point.attributes, point.variant)
    return numbers


def outperforming(attributes: int, variant: DuchiVariant) -> dict[str, float]:
    """Return at how many values of ε HM has the smallest worst variance.

    The rivals for `best_but_scdf` are Duchi et al. and Laplace. For `best`, SCDF is a third rival.
    """
    worst = {epsilon: worst_variances(epsilon, attributes, variant) for epsilon in EPSILONS}
    laplace, scdf = (
        {e: SINGLE[name](e / attributes).worst_variance for e in EPSILONS}
        for name in ("laplace", "scdf")
    )
    without = {e for e in EPSILONS if worst[e]["HM"] < min(worst[e]["Duchi"], laplace[e])}
    return {"best_but_scdf": len(without), "best": sum(worst[e]["HM"] < scdf[e] for e in without)}


def share(measure: str, **at: Any) -> Callable[[Table], Counterpart]:
    """Return a function that reads the share of all points (d, ε) at which an order holds or HM is
    best.
    """

    def reading(table: Table) -> Counterpart:
        rows = [row for row in table.where(**at).rows if measure in row]
        if not rows:
            raise NoSuchPoint(f"nothing was tried with {at}")
        total = (
            len(EPSILONS) * len(rows)
            if measure.startswith("best")
            else sum(row["tried"] for row in rows)
        )
        return exact(sum(row[measure] for row in rows) / total)

    return reading


def order_quote(setting: str, variant: str) -> Quote:
    """The quote of a row of the table, with a variant of Duchi et al.'s mechanism."""
    which = f"against {VARIANTS[variant]}" if ORDERS[setting].several else ""
    return Quote(
        "Wang et al., Table I",
        f"{setting}: {ORDERS[setting].stated}",
        STATED,
        share("kept", setting=setting, variant=variant),
        why=FAIR,
        under=which,
        disputed=AS_PRINTED_ONLY if ORDERS[setting].several and variant == "corrected" else "",
        points="ε of 0.1, 0.2 and so on to 30, ε* and ε#; d from 2 to 40 if d > 1",
    )


def lemma_6(value: float, last: float) -> float:
    """The variance of HM up to ε* by Lemma 6, with `last` times the value's square as its last
    term.
    """
    return MANY / tanh(SMALL / 2) ** 2 + last * value**2


def variance_by_law(value: float) -> float:
    """The variance of HM up to ε*, computed from the law of a report.

    A user reports on one of `MANY` attributes, and this report is multiplied by `MANY`; the
    estimates of the other attributes are 0.
    """
    return MANY * HM(SMALL).law(value).second_moment - value**2


NOTES: Mapping[str, str] = {
    "grid": "ε of 0.1, 0.2 and so on to 30, ε* and ε#; d from 2 to 40",
    "k": "k by Eq. 12",
}


def drawn_orders(table: Table) -> "Figure":
    """Draw the share of ε at which the first row's order holds, for each number of attributes."""
    return curves(
        table.where(setting=SEVERAL),
        "attributes",
        panel="setting",
        line=["variant"],
        words=VARIANTS.__getitem__,
        titles={SEVERAL: f"{ORDERS[SEVERAL].stated}, d > 1"},
        x_label="d",
        notes=[*NOTES.values(), "Points are not joined: odd and even d differ."],
        log_y=False,
        joined=False,
    )


EXPERIMENT = Experiment(
    summary="Orders of worst variances of PM, HM and Duchi et al.'s mechanism",
    source="Wang et al., Table I and Corollary 2",
    trial=kept,
    grid=[
        {"setting": [SEVERAL], "variant": list(VARIANTS), "attributes": list(range(2, 41))},
        {
            "setting": [one for one in ORDERS if one != SEVERAL],
            "variant": ["corrected"],
            "attributes": [1],
        },
    ],
    measures=[Measure("share", "share of the ε at which the order holds")],
    quick={"attributes": [1, 2, 3, 4, 5, 10, 16, 20, 40]},
    choices=(*NOTES.values(), CORRECTED),
    quotes=[
        order_quote(SEVERAL, "as-printed"),
        *(order_quote(setting, "corrected") for setting in ORDERS),
        *(
            Quote(
                "Wang et al., abstract",
                "for d > 1 HM has a smaller worst variance than the existing solutions: Laplace, "
                "SCDF and Duchi et al.",
                STATED,
                share("best", setting=SEVERAL, variant=variant),
                why="SCDF with ε/d each has less variance for some large ε/d",
                under=f"against {words}",
                points=f"{NOTES['grid']}, {NOTES['k']}",
            )
            for variant, words in VARIANTS.items()
        ),
        Quote(
            "Wang et al., Lemma 6",
            "variance with HM up to ε*, d=16, k=1, ε=0.5, t=1",
            lambda _: lemma_6(1.0, MANY - 1),
            lambda _: exact(variance_by_law(1.0)),
            correction="d/k coth²(ε/(2k)) - t²: the last term is not (d/k - 1) t²",
            instead=lambda _: lemma_6(1.0, -1),
        ),
    ],
    figure=drawn_orders,
    cost=lambda _: 0.035,
)
